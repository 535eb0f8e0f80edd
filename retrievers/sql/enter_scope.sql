-- Makes the transaction that it opens one of tadori_app, for one tenant and its principals. First statement of every transaction.
-- Parameters: tenant text, principals text[], vector_schema text, statement_timeout, idle_timeout text. Columns: the settings, not used.
select set_config('role', 'tadori_app', true),
       set_config('tadori.tenant', %(tenant)s, true),
       set_config('tadori.principals', %(principals)s::text[]::text, true),
       set_config('search_path', 'tadori, ' || quote_ident(%(vector_schema)s), true),
       set_config('statement_timeout', %(statement_timeout)s, true),
       set_config('idle_in_transaction_session_timeout', %(idle_timeout)s, true);
