-- What the server is and has, in one row. Run as the owner.
-- Parameters: none.
-- Columns: server_version text, server_version_num int, vector_installed text or null, vector_available text or null,
--          vector_schema text or null, vector_usable bool (by the role), login text, app_role_exists bool, app_role_unsafe bool
select current_setting('server_version') as server_version,
       current_setting('server_version_num')::integer as server_version_num,
       (select e.extversion from pg_extension e where e.extname = 'vector') as vector_installed,
       (select a.default_version from pg_available_extensions a where a.name = 'vector') as vector_available,
       (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector') as vector_schema,
       coalesce((select has_schema_privilege(r.oid, e.extnamespace, 'usage') from pg_extension e where e.extname = 'vector'), false) as vector_usable,
       session_user::text as login,
       r.oid is not null as app_role_exists,
       coalesce(r.rolsuper or r.rolbypassrls, false) as app_role_unsafe
from (select 1) one
left join pg_roles r on r.rolname = 'tadori_app';
