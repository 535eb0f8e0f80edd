"""What a model wrote about a question is kept for the next time, for each model apart, and not for ever."""

from nodes.remembering import MOST, recalled, remember
from nodes.structured import Decider
from retrievers.providers.fakes import ScriptedChat


def decider():
    return Decider(ScriptedChat(replies=[]))


def test_each_model_and_each_step_remembers_its_own():
    one, other = decider(), decider()
    remember(one, "hyde", "Why?", ("Because.",))
    assert recalled(one, "hyde", "Why?") == ("Because.",)
    assert recalled(one, "decompose", "Why?") == recalled(other, "hyde", "Why?") == recalled(one, "hyde", "How?") == ()


def test_the_question_asked_longest_ago_makes_room():
    chat = decider()
    for number in range(MOST):
        remember(chat, "hyde", f"{number}", ("x",))
    recalled(chat, "hyde", "0")
    remember(chat, "hyde", "new", ("x",))
    assert (recalled(chat, "hyde", "0"), recalled(chat, "hyde", "1")) == (("x",), ())
