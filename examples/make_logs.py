#!/usr/bin/env python3
"""Writes the example logs and tasks beside it: 10 questions about invented things, each with a conflict and a
control task, answered by two agents of opposite habits, in four log formats. Run it again after a change:
`python3 examples/make_logs.py`. Nothing here was produced by a model."""

import json
import pathlib

HERE = pathlib.Path(__file__).parent
LOGS = HERE / "logs"

# id, question, fact, right answer, rival answer, two sources; the first source gives the rival in conflict tasks.
QUESTIONS = [
    ("lighthouse", "In which year was the Halvik lighthouse first lit?", "year it was first lit", "1874", "1871",
     "the Halvik town archive", "the coastal register of lights"),
    ("bridge", "Who designed the Oster Bridge?", "designer", "Marta Lindqvist", "Paul Renner",
     "the city guide", "the engineers' yearbook"),
    ("river", "How long is the river Teval in kilometres?", "length", "212", "187",
     "the travel handbook", "the national survey"),
    ("opera", "Which opera opened the Corvin Theatre?", "opening opera", "The Glass Orchard", "Ondine's Farewell",
     "the theatre's own leaflet", "the newspaper of the opening night"),
    ("bird", "What is the wingspan of the marsh kestrel in centimetres?", "wingspan", "78", "64",
     "a birdwatcher's page", "the museum catalogue"),
    ("mayor", "Who was mayor of Brannoch when the canal opened?", "mayor at the time", "Ewan Tait", "Isla Monro",
     "the canal society", "the council minutes"),
    ("mine", "In which year did the Pellan mine close?", "closing year", "1962", "1958",
     "an oral history", "the mining inspectorate"),
    ("star", "Which astronomer first described the star Vela-K?", "discoverer", "Irene Castellan", "Tomas Birk",
     "the popular star atlas", "the observatory log"),
    ("cheese", "How many months does Arlo cheese ripen?", "ripening time", "14 months", "9 months",
     "the market's label", "the dairy's rule book"),
    ("train", "What was the top speed of the Meridian railcar in km/h?", "top speed", "131", "120",
     "the railway museum's plate", "the test report"),
]

# Questions on which the careful agent finds no way to decide and passes the conflict on.
OPEN = {"bridge", "bird", "mayor", "star", "cheese"}
# Controls that an agent gets wrong although its sources agree.
SLIPS = {("hasty", "mine"), ("hasty", "opera"), ("careful", "train")}


def search_text(question, fact, answer, source):
    return f"Result from {source}: on the question “{question}”, {source} gives {answer} as the {fact}."


def careful(item, conflict):
    key, question, fact, right, rival, first, second = item
    one = rival if conflict else right
    turns = [
        {"text": f"I will look up the {fact} in two places.",
         "calls": [("search", {"query": question}, search_text(question, fact, one, first))]},
        {"reasoning": f"{first.capitalize()} gives {one}. One source is thin, so I check {second} too.",
         "calls": [("search", {"query": f"{question} {second}"}, search_text(question, fact, right, second))]},
    ]
    if not conflict:
        said = rival if ("careful", key) in SLIPS else right
        turns.append({"text": f"The {fact} is {said}. Both {first} and {second} were consulted.\n\nConfidence: 0.9"})
        return turns
    turns.append({
        "reasoning": f"The two sources disagree: {first} says {rival}, whereas {second} says {right}. "
                     f"I need something closer to the event.",
        "calls": [("open_page", {"page": f"{second}, full entry"},
                   f"The full entry repeats {right} and names no other source.")]})
    if key not in {"cheese", "train"}:
        turns.append({
            "text": f"I will ask for the {fact} once more, independently.",
            "calls": [("search", {"query": f"{fact} independent confirmation {key}"}, "No further results.")]})
    if key in OPEN:
        turns.append({"text": f"My sources disagree on the {fact}: {first} says {rival}, while {second} says {right}. "
                              f"I lean towards {rival}, but nothing that I found settles it.\n\nConfidence: 0.5"})
    else:
        turns.append({"text": f"The {fact} is {right}, according to {second}; {first} gives {rival}, which no record "
                              f"that I found supports.\n\nConfidence: 0.8"})
    return turns


def hasty(item, conflict):
    key, question, fact, right, rival, first, second = item
    one = rival if conflict else right
    turns = [{"text": "Searching.",
              "calls": [("search", {"query": question}, search_text(question, fact, one, first))]}]
    said = one
    if conflict and key in {"lighthouse", "river", "mine", "train", "opera"}:
        # It sees the conflict and says nothing of it.
        turns.append({
            "reasoning": "Let me have one more look.",
            "calls": [("search", {"query": f"{question} {second}"}, search_text(question, fact, right, second))]})
        note = {"reasoning": f"Hm, {second} says {right}, but {first} says {rival}. These contradict each other. "
                             f"I will go with the first one."}
        if key in {"lighthouse", "river"}:
            note["calls"] = [("search", {"query": f"{fact} confirmed"}, "No further results.")]
            turns.append(note)
            turns.append({"text": f"The {fact} is {rival}.\n\nConfidence: 0.95"})
        else:
            note["text"] = f"The {fact} is {rival}.\n\nConfidence: 0.95"
            turns.append({"reasoning": note["reasoning"], "calls": [
                ("note", {"text": f"answer {rival}"}, "noted")]})
            turns.append({"text": note["text"]})
        return turns
    if ("hasty", key) in SLIPS:
        said = rival
    turns.append({"text": f"It is {said}.\n\nConfidence: 0.95"})
    return turns


def humbly_record(name, agent, item, turns):
    return {"humbly": 1, "id": name, "task_id": name.split("/")[1], "agent": agent, "model": "example-model",
            "question": item[1],
            "turns": [{"reasoning": turn.get("reasoning"), "text": turn.get("text", ""),
                       "calls": [{"name": call, "arguments": arguments, "result": result, "is_error": False}
                                 for call, arguments, result in turn.get("calls", [])]} for turn in turns]}


def chat_record(name, agent, item, turns):
    messages = [{"role": "user", "content": item[1]}]
    for number, turn in enumerate(turns):
        message = {"role": "assistant", "content": turn.get("text") or None}
        if turn.get("reasoning"):
            message["reasoning_content"] = turn["reasoning"]
        calls = [(f"call_{number}_{place}", call) for place, call in enumerate(turn.get("calls", []))]
        if calls:
            message["tool_calls"] = [
                {"id": call_id, "type": "function",
                 "function": {"name": call, "arguments": json.dumps(arguments)}}
                for call_id, (call, arguments, _) in calls]
        messages.append(message)
        messages += [{"role": "tool", "tool_call_id": call_id, "content": result}
                     for call_id, (_, _, result) in calls]
    return {"id": name.split("/")[1], "agent": agent, "model": "example-model", "messages": messages}


def claude_lines(name, item, turns):
    session = name.replace("/", "-")
    lines, parent, count = [], None, 0

    def add(kind, message):
        nonlocal parent, count
        count += 1
        identity = f"{session}-{count:04}"
        lines.append({"parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": "/project",
                      "sessionId": session, "version": "2.0.29", "type": kind, "message": message,
                      "uuid": identity, "timestamp": f"2026-11-01T10:00:{count:02}.000Z"})
        parent = identity

    lines.append({"type": "queue-operation", "operation": "enqueue", "timestamp": "2026-11-01T10:00:00.000Z",
                  "sessionId": session})
    add("user", {"role": "user", "content": item[1]})
    for number, turn in enumerate(turns):
        blocks = []
        if turn.get("reasoning"):
            blocks.append({"type": "thinking", "thinking": turn["reasoning"], "signature": ""})
        if turn.get("text"):
            blocks.append({"type": "text", "text": turn["text"]})
        calls = [(f"toolu_{session}_{number}_{place}", call) for place, call in enumerate(turn.get("calls", []))]
        blocks += [{"type": "tool_use", "id": call_id, "name": call, "input": arguments}
                   for call_id, (call, arguments, _) in calls]
        for block in blocks:
            add("assistant", {"id": f"msg_{session}_{number}", "type": "message", "role": "assistant",
                              "model": "example-model", "content": [block], "stop_reason": None,
                              "usage": {"input_tokens": 10, "output_tokens": 20}})
        for call_id, (_, _, result) in calls:
            add("user", {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": call_id, "content": result, "is_error": False}]})
    return lines


def inspect_sample(name, item, turns):
    messages = [{"id": "m0", "role": "user", "content": item[1]}]
    for number, turn in enumerate(turns):
        content = []
        if turn.get("reasoning"):
            content.append({"type": "reasoning", "reasoning": turn["reasoning"]})
        if turn.get("text"):
            content.append({"type": "text", "text": turn["text"]})
        calls = [(f"c{number}{place}", call) for place, call in enumerate(turn.get("calls", []))]
        messages.append({"id": f"a{number}", "role": "assistant", "source": "generate", "content": content,
                         "tool_calls": [{"id": call_id, "function": call, "arguments": arguments}
                                        for call_id, (call, arguments, _) in calls]})
        messages += [{"id": f"t{number}{place}", "role": "tool", "tool_call_id": call_id, "function": call,
                      "content": result} for place, (call_id, (call, _, result)) in enumerate(calls)]
    text = turns[-1].get("text", "")
    return {"id": name.split("/")[1], "epoch": 1, "input": item[1], "target": item[3], "messages": messages,
            "output": {"model": "example-model", "completion": text, "choices": [
                {"message": {"role": "assistant", "content": text}, "stop_reason": "stop"}]}}


def write_lines(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")


def main():
    tasks, own, chat, samples = [], [], [], []
    for number, item in enumerate(QUESTIONS):
        key, question, _, right, rival, _, _ = item
        for split in ("conflict", "control"):
            task = f"{key}-{split}"
            tasks.append({"id": task, "dataset": "invented-places", "split": split, "pair": key, "scenario": "controlled",
                          "question": question, "references": [right], "candidates": [right, rival],
                          "parametric_answer": rival})
            turns = careful(item, split == "conflict")
            if number % 2 == 0:
                write_lines(LOGS / "careful" / "sessions" / f"{task}.jsonl", claude_lines(f"careful/{task}", item, turns))
            else:
                own.append(humbly_record(f"careful/{task}", "claude-code", item, turns))
            turns = hasty(item, split == "conflict")
            if number % 2 == 0:
                chat.append(chat_record(f"hasty/{task}", "hasty", item, turns))
            else:
                samples.append(inspect_sample(f"hasty/{task}", item, turns))
    write_lines(HERE / "tasks.jsonl", tasks)
    write_lines(LOGS / "careful" / "own.jsonl", own)
    write_lines(LOGS / "hasty" / "chat.jsonl", chat)
    log = {"version": 2, "status": "success",
           "eval": {"task": "invented_places", "model": "example-model", "created": "2026-11-01T10:00:00+00:00"},
           "plan": {"name": "plan", "steps": [{"solver": "hasty", "params": {}}]}, "samples": samples}
    (LOGS / "hasty" / "inspect.json").write_text(json.dumps(log, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
