"""`humbly serve model`, driven by the `openai` package as a user's harness would.

    python tests/python/openai_client.py PATH/TO/humbly [MODEL]

Starts the command, once with a real model (smollm2-135m) and once with a script whose reply calls a tool, and
ends it by Ctrl-C. Asks whole, streamed, with log-probabilities and with a tool, and expects errors as the
package's own exceptions. What a model says is not judged: only that the protocol holds.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import openai

TOOL = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Searches the web.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
    },
}

# A small model calls a tool when it likes; a script always does.
RULES = """
[[rule]]
when.tool_result = "Lima"
reply.text = "It is Lima."
[[rule]]
when.offers = "search"
reply.calls = [{ name = "search", arguments = { query = "capital of Peru" } }]
[[rule]]
reply.text = "Lima is the capital of Peru."
reply.usage = { input = 9, output = 7 }
reply.logprobs = [{ token = "Lima", logprob = -0.25, top = [["Lima", -0.25], ["Quito", -1.5]] }]
"""


@contextlib.contextmanager
def served(humbly: str, model: str):
    command = [humbly, "serve", "model", model, "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        for line in server.stderr:
            if " at http://" in line:
                yield line.split(" at ")[1].split()[0]
                break
        else:
            raise AssertionError(f"{command} did not start")
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=30) == 0, "Ctrl-C does not end the server cleanly"
    finally:
        server.kill()


def ask(base_url: str) -> tuple[str, bool]:
    client = openai.OpenAI(base_url=base_url, api_key="none", max_retries=0, timeout=120)
    model = client.models.list().data[0].id
    messages = [{"role": "user", "content": "Name a city in one word."}]
    common = {"model": model, "messages": messages, "max_tokens": 12, "temperature": 0}

    whole = client.chat.completions.create(**common, logprobs=True)
    text = whole.choices[0].message.content
    assert text, whole
    assert whole.choices[0].finish_reason in ("stop", "length"), whole
    assert whole.usage.total_tokens == whole.usage.prompt_tokens + whole.usage.completion_tokens
    tokens = whole.choices[0].logprobs.content
    assert tokens and all(token.logprob <= 0 and token.top_logprobs for token in tokens), tokens

    pieces = []
    for event in client.chat.completions.create(**common, stream=True, stream_options={"include_usage": True}):
        pieces += [choice.delta.content or "" for choice in event.choices]
    assert "".join(pieces) == text, (pieces, text)

    two = client.chat.completions.create(**{**common, "temperature": 1.0}, n=2, seed=7)
    assert [choice.index for choice in two.choices] == [0, 1]

    with_tool = client.chat.completions.create(**common, tools=[TOOL]).choices[0]
    calls = with_tool.message.tool_calls or []
    if calls:
        assert with_tool.finish_reason == "tool_calls", with_tool
        messages.append(with_tool.message)
    for call in calls:
        assert call.id and call.function.name, call
        messages.append({"role": "tool", "tool_call_id": call.id, "content": "Lima"})
    if calls:
        assert client.chat.completions.create(**common, tools=[TOOL]).choices[0].message.content

    for wrong, error in [
        ({"model": "no-such-model"}, openai.NotFoundError),
        ({"messages": []}, openai.BadRequestError),
        ({"temperature": 9}, openai.BadRequestError),
        ({"tool_choice": "required", "tools": [TOOL]}, openai.BadRequestError),
    ]:
        try:
            client.chat.completions.create(**{**common, **wrong})
        except error:
            continue
        raise AssertionError(f"{wrong} was accepted")
    print(f"{model}: whole, streamed, two draws, a tool and four errors are as the openai package expects")
    return text, bool(calls)


def main(humbly: str, model: str = "smollm2-135m") -> None:
    # A proxy of the machine has no business on loopback.
    os.environ["NO_PROXY"] = "127.0.0.1"
    with served(humbly, model) as url:
        ask(url)
    with tempfile.TemporaryDirectory() as folder:
        rules = pathlib.Path(folder, "rules.toml")
        rules.write_text(RULES)
        with served(humbly, f"scripted:{rules}") as url:
            text, has_called = ask(url)
            assert text == "Lima is the capital of Peru." and has_called


if __name__ == "__main__":
    main(*sys.argv[1:])
