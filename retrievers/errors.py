"""Every error the product raises on purpose; a message says what failed, which one (`!r`), and what to do.

Lowest module of the retrievers floor: imports nothing of ours, everything may import it.

    TadoriError
    ├── InvalidArgument            the caller's input is wrong                       exit 2
    ├── ConfigurationError         a setting or the installation is wrong            exit 1
    │   ├── MissingExtra           an optional dependency is not installed
    │   └── MissingKey             a provider was chosen without its key
    ├── StorageError
    │   ├── DatabaseUnavailable    cannot be reached or started
    │   ├── DatabaseUnsupported    PostgreSQL or pgvector too old, or missing
    │   ├── MigrationError         the schema could not be brought up to date
    │   ├── UnknownCollection      it does not exist, or is another tenant's: one text for both
    │   ├── EmbeddingMismatch      the collection was built with another embedding model
    │   └── CollectionRebuilt      its vectors or words were exchanged during the call
    ├── IngestError                one document could not be read, cut or stored
    └── ProviderError              a model, reranker or web search failed
        ├── ProviderUnavailable    refused, timed out, 5xx                           transient
        ├── ProviderRateLimited    429, perhaps with a Retry-After                   transient
        ├── ProviderRejected       401, 403, 400: trying again cannot help
        └── ProviderReplyInvalid   it answered, but not in the agreed form
"""


class TadoriError(Exception):
    """Base of all errors that carry a message for the user."""


class InvalidArgument(TadoriError):
    """The caller's input is wrong."""


class ConfigurationError(TadoriError):
    """A setting or the installation is wrong."""


class MissingExtra(ConfigurationError):
    """An optional dependency is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the extra {extra!r}: pip install 'tadori[{extra}]'")


class MissingKey(ConfigurationError):
    """A provider was chosen without its key."""


class StorageError(TadoriError):
    """The database could not do what was asked."""


class DatabaseUnavailable(StorageError):
    """The database cannot be reached or started."""


class DatabaseUnsupported(StorageError):
    """PostgreSQL or pgvector is too old, or pgvector is missing."""


class MigrationError(StorageError):
    """The schema could not be brought up to date."""


class UnknownCollection(StorageError):
    """The collection does not exist or belongs to another tenant; the text is the same for both."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no collection {name!r} here: create it with `tadori ingest PATH --collection {name}`")


class EmbeddingMismatch(StorageError):
    """The collection was built with another embedding model."""

    @classmethod
    def of(cls, collection: str, built: tuple[str, int], given: tuple[str, int]) -> "EmbeddingMismatch":
        """For a collection built with one (model, dimensions) and another one that is set."""
        return cls(
            f"collection {collection!r} was built with the embedding model {built[0]!r} ({built[1]} dimensions), and {given[0]!r} "
            f"({given[1]}) is set: run `tadori reindex --collection {collection}` to change to it, or set TADORI_EMBEDDING_MODEL back "
            f"to {built[0]!r}"
        )


class CollectionRebuilt(StorageError):
    """The collection's vectors were exchanged for those of another embedding space during the call, or its words for another analyser's."""

    def __init__(self, name: str) -> None:
        super().__init__(f"collection {name!r} was changed to another embedding model or analyser meanwhile: start again with that set")


class IngestError(TadoriError):
    """One document could not be read, cut or stored.

    `stage` is one of load, chunk, embed, store.
    """

    def __init__(self, stage: str, reason: str) -> None:
        super().__init__(reason)
        self.stage = stage


class ProviderError(TadoriError):
    """A model, a reranker or a web search failed.

    `status` is the HTTP status where there was one.
    """

    transient = False

    def __init__(self, message: str, *, retry_after_s: float | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        self.status = status


class ProviderUnavailable(ProviderError):
    """Refused, timed out or 5xx; trying again later may help."""

    transient = True


class ProviderRateLimited(ProviderError):
    """429; trying again after `retry_after_s` may help."""

    transient = True


class ProviderRejected(ProviderError):
    """401, 403 or 400; trying again cannot help."""


class ProviderReplyInvalid(ProviderError):
    """The provider answered, but not in the agreed form."""
