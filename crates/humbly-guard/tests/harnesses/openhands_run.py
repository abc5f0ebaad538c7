"""One conversation of the OpenHands SDK with the hooks of the working folder; its pages stand in the prompt."""

import sys
import uuid

from openhands.sdk import LLM, Agent, Conversation
from openhands.sdk.hooks import HookConfig
from pydantic import SecretStr

base_url, folder, home, prompt = sys.argv[1:]
llm = LLM(model="openai/scripted", base_url=base_url, api_key=SecretStr("none"), usage_id="play")
conversation = Conversation(
    agent=Agent(llm=llm, tools=[]),
    workspace=folder,
    persistence_dir=f"{home}/.openhands/conversations",
    conversation_id=uuid.uuid4(),
    hook_config=HookConfig.load(working_dir=folder),
    visualizer=None,
)
conversation.send_message(prompt)
conversation.run()
conversation.close()
