"""Chat models by `provider:model`, with one timeout, one retry layer and our own errors.

The only place that knows how a chat SDK fails; nodes see a BaseChatModel that raises ProviderError and nothing else.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import httpx
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.exceptions import ModelConnectionError, ModelError, ModelTimeoutError
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.runnables.config import merge_configs
from langchain_core.tools import BaseTool
from pydantic import PrivateAttr

from retrievers.errors import (
    ConfigurationError,
    MissingExtra,
    MissingKey,
    ProviderError,
    ProviderRejected,
    ProviderReplyInvalid,
)
from retrievers.ledger import MODEL
from retrievers.providers.faults import from_status, late, retrying, unreachable
from retrievers.providers.limiting import AT_ONCE, Limiter, limiter_for
from retrievers.providers.streaming import streamed

TIMEOUT_S = 90.0
"""For one answer with all its retries: a small model on a processor reads five passages in 20-75 s, a hosted one in two."""

TEMPERATURE = 0.1
"""Grounded answers vary little; exactly 0 makes some models repeat themselves."""

MAX_TOKENS = 4096
"""Bounds a model that never stops (small ones emit newlines for ever), leaves room for its thinking."""

KEYS = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
}
"""The variable that holds a provider's key; a provider that is not listed brings its own credentials."""

_EXTRAS = {"anthropic": "anthropic"}
_PACKAGES = {"azure_openai": "langchain_openai", "bedrock": "langchain_aws", "bedrock_converse": "langchain_aws"}
"""Where a provider's package is not `langchain_<provider>`."""
_SDK_ERRORS = {"openai": ("openai", "OpenAIError"), "anthropic": ("anthropic", "AnthropicError")}
_SAYS_WHEN_DONE = frozenset({"openai", "anthropic"})
"""Whose last piece of a stream says why it ends: without it the connection broke."""
_NO_KEY = "none"
"""A local server needs no key, but its client insists on a string."""


class GuardedChat(BaseChatModel):
    """A chat model whose every call has a deadline, waits its turn, is retried where that can help, and fails as ProviderError.

    The model itself is made at its first call, in a thread: importing its package takes seconds and reads files.
    """

    who: str
    make: Callable[[], BaseChatModel]
    timeout_s: float = TIMEOUT_S
    sdk: str = ""
    address: str = ""
    at_once: int = AT_ONCE
    _made: BaseChatModel | None = PrivateAttr(default=None)

    @property
    def _llm_type(self) -> str:
        return "guarded"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": self.who}

    def inner(self) -> BaseChatModel:
        """The model, made now if it was not yet. Blocks; raises ConfigurationError."""
        if self._made is None:
            self._made = self.make()
        return self._made

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any
    ) -> ChatResult:
        """One try: synchronous callers have no deadline to retry in."""
        inner = self.inner()
        try:
            return inner._generate(messages, stop=stop, run_manager=run_manager, **kwargs)
        except _failures(self.sdk) as exc:
            raise self._translated(exc) from exc

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        inner = await asyncio.to_thread(self.inner)

        async def call() -> ChatResult:
            return await inner._agenerate(messages, stop=stop, run_manager=run_manager, **kwargs)

        made: ChatResult = await self._retrying(call)
        return made

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        inner = await asyncio.to_thread(self.inner)
        pieces = streamed(
            self.who,
            lambda: inner._astream(messages, stop=stop, **kwargs),
            guard=self._attempt,
            limiter=self._limiter(),
            timeout_s=self.timeout_s,
            says_when_done=self.sdk in _SAYS_WHEN_DONE,
        )
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece

    def _limiter(self) -> Limiter:
        return limiter_for(self.address or self.who, self.at_once)

    async def _retrying(self, call: Callable[[], Any]) -> Any:
        return await retrying(self.who, lambda: self._attempt(call), timeout_s=self.timeout_s, limiter=self._limiter())

    def bind_tools(
        self, tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool], *, tool_choice: str | None = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The provider's own form of the tools, bound to this guarded model. Blocks while the model is made."""
        bound = self.inner().bind_tools(tools, tool_choice=tool_choice, **kwargs)
        return self.bind(**bound.kwargs)  # type: ignore[attr-defined]

    def with_structured_output(
        self, schema: dict[str, Any] | type, *, include_raw: bool = False, **kwargs: Any
    ) -> Runnable[LanguageModelInput, Any]:
        """The provider's own structured output, guarded like a plain call; a way that it does not have is ProviderRejected, status 501."""

        async def ask(prompt: LanguageModelInput, config: RunnableConfig) -> Any:
            inner = await asyncio.to_thread(self.inner)
            try:
                structured = inner.with_structured_output(schema, include_raw=include_raw, **kwargs)
            except (NotImplementedError, ValueError, TypeError) as exc:
                raise ProviderRejected(f"{self.who} does not offer structured output by {kwargs.get('method')!r}", status=501) from exc

            async def call() -> Any:
                return await structured.ainvoke(prompt, merge_configs(config, {"metadata": {MODEL: self.who}}))

            return await self._retrying(call)

        return RunnableLambda(ask)

    async def _attempt(self, call: Callable[[], Any]) -> Any:
        try:
            return await call()
        except TimeoutError:
            # The deadline of `retrying`: it says so itself.
            raise
        except _failures(self.sdk) as exc:
            raise self._translated(exc) from exc

    def _translated(self, exc: Exception) -> ProviderError:
        if isinstance(exc, ModelTimeoutError):
            return late(self.who, self.timeout_s)
        response = getattr(exc, "response", None)
        status = getattr(exc, "status_code", None)
        if isinstance(status, int) and status >= 400:
            return from_status(self.who, status, str(exc), getattr(response, "headers", None))
        if isinstance(exc, ModelConnectionError | OSError | httpx.TransportError):
            return unreachable(self.who, exc)
        return ProviderReplyInvalid(f"{self.who} answered in a form that cannot be read ({type(exc).__name__}): try another model")


def resolve_chat(
    model: str, *, base_url: str | None = None, api_key: str | None = None, timeout_s: float = TIMEOUT_S, at_once: int = AT_ONCE
) -> BaseChatModel:
    """The chat model of `provider:model`, at `base_url` where one is given (any OpenAI-compatible address with the provider `openai`).

    All models at one address share `at_once` calls at a time. Connects to nothing. Raises ConfigurationError for an unknown provider,
    MissingKey without the key that the provider needs at its own address, MissingExtra without its package.
    """
    provider, colon, name = model.partition(":")
    if not colon or not provider or not name:
        raise ConfigurationError(f"TADORI_CHAT_MODEL is {model!r}: write provider:model, such as openai:gpt-4o-mini")
    if api_key is None and base_url is None and provider in KEYS:
        raise MissingKey(
            f"the chat model {model!r} needs {KEYS[provider]}: set it, or leave TADORI_CHAT_MODEL unset to answer without a model"
        )
    _check_installed(provider)
    key = api_key or (_NO_KEY if base_url else None)
    return GuardedChat(
        who=model,
        make=partial(_make, provider, name, base_url, key, timeout_s),
        timeout_s=timeout_s,
        sdk=provider,
        address=base_url or provider,
        at_once=at_once,
        metadata={MODEL: model},
    )


def _check_installed(provider: str) -> None:
    package = _PACKAGES.get(provider, f"langchain_{provider}")
    if find_spec(package) is not None:
        return
    if provider in _EXTRAS:
        raise MissingExtra(f"the chat provider {provider!r}", _EXTRAS[provider])
    raise ConfigurationError(f"the chat provider {provider!r} is not known, or its package {package.replace('_', '-')} is not installed")


def _make(provider: str, name: str, base_url: str | None, api_key: str | None, timeout_s: float) -> BaseChatModel:
    from langchain.chat_models import init_chat_model

    given = {"base_url": base_url, "api_key": api_key}
    options: dict[str, Any] = {option: value for option, value in given.items() if value is not None}
    options |= {"timeout": timeout_s, "max_retries": 0, "temperature": TEMPERATURE, "max_tokens": MAX_TOKENS}
    if provider == "openai":
        # Left to itself it asks for the tokens of a stream at OpenAI's own address only.
        options["stream_usage"] = True
    try:
        model: BaseChatModel = init_chat_model(name, model_provider=provider, **options)
    except (ImportError, ValueError) as exc:
        raise ConfigurationError(f"the chat model {provider}:{name} cannot be used: {str(exc).splitlines()[0]}") from exc
    return model


def _failures(sdk: str) -> tuple[type[Exception], ...]:
    """What the model's SDK, its HTTP client and LangChain raise; the last ones for replies without choices or of another form: a web
    page that comes as text, a stream that is none, brackets without end.
    """
    own: tuple[type[Exception], ...] = ()
    if sdk in _SDK_ERRORS:
        module, name = _SDK_ERRORS[sdk]
        own = (getattr(import_module(module), name),)
    form = (ValueError, TypeError, LookupError, AttributeError, AssertionError, RecursionError)
    return (ModelError, OSError, httpx.TransportError, *own, *form)
