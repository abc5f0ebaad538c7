"""The served model, driven by the `openai` package as a user's harness would.

    humbly serve model … &          # or: cargo run -p humbly-serve --example scripted -- RULES.toml 8080 &
    python tests/python/openai_client.py http://127.0.0.1:8080/v1

Asks whole, streamed, with log-probabilities and with a tool, and expects errors as the package's own
exceptions. What a model says is not judged: only that the protocol holds.
"""

import sys

import openai

TOOL = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Searches the web.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
    },
}


def main(base_url: str) -> None:
    client = openai.OpenAI(base_url=base_url, api_key="none", max_retries=0, timeout=120)
    model = client.models.list().data[0].id
    messages = [{"role": "user", "content": "Name a city in one word."}]
    common = {"model": model, "messages": messages, "max_tokens": 12, "temperature": 0}

    whole = client.chat.completions.create(**common, logprobs=True)
    text = whole.choices[0].message.content
    assert text, whole
    assert whole.choices[0].finish_reason in ("stop", "length"), whole
    if whole.usage:
        assert whole.usage.total_tokens == whole.usage.prompt_tokens + whole.usage.completion_tokens
    if whole.choices[0].logprobs:
        assert all(token.logprob <= 0 for token in whole.choices[0].logprobs.content)

    pieces = []
    for event in client.chat.completions.create(**common, stream=True, stream_options={"include_usage": True}):
        pieces += [choice.delta.content or "" for choice in event.choices]
    assert "".join(pieces) == text, (pieces, text)

    two = client.chat.completions.create(**{**common, "temperature": 1.0}, n=2, seed=7)
    assert [choice.index for choice in two.choices] == [0, 1]

    with_tool = client.chat.completions.create(**common, tools=[TOOL]).choices[0]
    for call in with_tool.message.tool_calls or []:
        assert call.id and call.function.name, call
        messages += [with_tool.message, {"role": "tool", "tool_call_id": call.id, "content": "Lima"}]
        assert client.chat.completions.create(**common).choices

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


if __name__ == "__main__":
    main(sys.argv[1])
