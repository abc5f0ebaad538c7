"""A model that plays one script, in the four forms of API that the harnesses speak.

It reads two pages that disagree, says so while it goes on, and answers with one of the two values. Where it finds
the guard's request in its messages, it answers again and tells.
"""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

QUESTION = "In which year did the Harrow mill open? Use the pages in the folder."
PAGES = {
    "register.txt": "Parish register. The mill at Harrow opened in 1874.\n",
    "guide.txt": "A guide for walkers. The mill at Harrow opened in 1871.\n",
    "cover.txt": "Cover page.\n",
}
NOTICED = "The parish register says the mill opened in 1874, whereas the walkers' guide gives 1871."
SILENT = "The Harrow mill opened in 1874."
TELLS = "It opened in 1874 by the parish register; the walkers' guide gives 1871, and I found nothing that decides."
#: With this prompt the question is left to a sub-agent (Claude Code).
DELEGATES = "Let a sub-agent find out when the mill opened."
#: What is said and which page is read, turn by turn; the last turn answers.
TURNS = [("I start with the register.", "register.txt"), ("Now the guide.", "guide.txt"), (NOTICED, "cover.txt")]


def turn(results, messages):
    """What the model says next and the page that it reads, `None` where it answers."""
    if "humbly guard: before you stop" in messages:
        return TELLS, None
    return TURNS[results] if results < len(TURNS) else (SILENT, None)


def anthropic(body, number, folder):
    messages = body.get("messages", [])
    results = sum(
        block.get("type") == "tool_result"
        for message in messages
        if isinstance(message.get("content"), list)
        for block in message["content"]
    )
    # Without tools it is asked for a title or the like.
    has_tools = any(tool.get("name") == "Read" for tool in body.get("tools", []))
    text, page = turn(results, json.dumps(messages)) if has_tools else ("ok", None)
    call = {"name": "Read", "input": {"file_path": f"{folder}/{page}"}}
    if DELEGATES in json.dumps(messages):
        text, page = ("The sub-agent has answered.", None) if results else ("I ask a sub-agent.", "its own pages")
        order = {"description": "find the year", "prompt": QUESTION, "subagent_type": "general-purpose"}
        call = {"name": "Agent", "input": order}
    blocks = [{"type": "text", "text": text}]
    if page:
        blocks.append({"type": "tool_use", "id": f"toolu_{number:04}", **call})
    stop = "tool_use" if page else "end_turn"
    usage = {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    message = {"id": f"msg_{number:04}", "type": "message", "role": "assistant", "model": body.get("model"),
               "stop_sequence": None, "usage": usage}
    if not body.get("stream"):
        return {**message, "content": blocks, "stop_reason": stop}
    events = [("message_start", {"message": {**message, "content": [], "stop_reason": None}})]
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start, delta = block, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            start = {**block, "input": {}}
        events.append(("content_block_start", {"index": index, "content_block": start}))
        events.append(("content_block_delta", {"index": index, "delta": delta}))
        events.append(("content_block_stop", {"index": index}))
    events.append(("message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage}))
    events.append(("message_stop", {}))
    return events


def responses(body, number, folder):
    items = body.get("input", [])
    text, page = turn(sum(item.get("type") == "function_call_output" for item in items), json.dumps(items))
    if page:
        names = {tool.get("name") for tool in body.get("tools", [])}
        command = f"cat {page}"
        name = next((name for name in ("exec_command", "shell_command") if name in names), "shell")
        arguments = {"exec_command": {"cmd": command}, "shell_command": {"command": command}}
        arguments = arguments.get(name, {"command": ["bash", "-lc", command]})
        output = [
            {"type": "reasoning", "id": f"r{number}", "summary": [{"type": "summary_text", "text": text}]},
            {"type": "function_call", "id": f"f{number}", "call_id": f"call_{number}", "name": name,
             "arguments": json.dumps(arguments)},
        ]
    else:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        output = [{"type": "message", "role": "assistant", "id": f"m{number}", "content": content}]
    events = [("response.created", {"response": {"id": f"resp_{number}"}})]
    for index, item in enumerate(output):
        events.append(("response.output_item.added", {"output_index": index, "item": item}))
        events.append(("response.output_item.done", {"output_index": index, "item": item}))
    usage = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15}
    events.append(("response.completed", {"response": {"id": f"resp_{number}", "output": output, "usage": usage}}))
    return events


def gemini(body, number, folder):
    names = {
        declaration["name"]
        for tool in body.get("tools", [])
        for declaration in tool.get("functionDeclarations", [])
    }
    contents = json.dumps(body.get("contents", []))
    has_tools = "read_file" in names
    text, page = turn(contents.count('"functionResponse"'), contents) if has_tools else ("ok", None)
    parts = [{"text": text}]
    if page:
        parts.append({"functionCall": {"name": "read_file", "args": {"file_path": page}}})
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage}


def chat(body, number, folder):
    """OpenHands: what is noticed is thought with its `think` tool, the answer is its `finish` tool."""
    messages = body.get("messages", [])
    # The pages stand in the prompt: only the third turn is played.
    results = len(TURNS) - 1 + sum(message.get("role") == "tool" for message in messages)
    text, page = turn(results, json.dumps(messages))
    name = "think" if page else "finish"
    arguments = {"thought": text, "summary": "compare"} if page else {"message": text, "summary": "answer"}
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}


def serve(folder):
    """A server on a free port; `requests` of it counts what was asked of the model."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            self.send({"models": [], "data": []})

        do_HEAD = do_GET

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
            if "ount" in self.path and "okens" in self.path:
                return self.send({"input_tokens": 10, "totalTokens": 10})
            forms = {"/v1/messages": anthropic, "/responses": responses, "enerateContent": gemini,
                     "/chat/completions": chat}
            form = next((form for part, form in forms.items() if part in self.path), None)
            if form is None:
                return self.send({})
            self.server.requests += 1
            answer = form(body, self.server.requests, folder)
            if form is gemini and "stream" in self.path:
                answer = [(None, answer)]
            self.send(answer)

        def send(self, answer):
            if isinstance(answer, list):
                kind, text = "text/event-stream", ""
                for name, data in answer:
                    data = {"type": name, **data} if name else data
                    text += (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"
            else:
                kind, text = "application/json", json.dumps(answer)
            body = text.encode()
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.requests = 0
    return server
