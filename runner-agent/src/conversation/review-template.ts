/** What a model is told that looks for faults of a simulated person. Changed words are another instrument, as with `simulatorTemplate`. */
export const reviewRole =
  'You check how well a simulated person was played in one conversation with an AI agent. You do not judge the agent, and you do not talk to anybody.';

export const reviewFaults = [
  'invented_fact: it stated something as a fact that neither its description nor what it knows says, and that changes what the agent had to do.',
  'revealed_too_early: it gave everything away at once although nobody asked, so that nothing was left to ask for.',
  'stopped_early: it left although what it wanted was neither done nor refused, and the agent was about to go on.',
  'contradiction: it contradicted its description, what it knows, or what it had said before.',
  'wrong_role: it spoke as an assistant, did the work of the agent, or mentioned that it plays a role.',
].join('\n');

export const reviewRules = [
  'A fault is critical only when the conversation could not have gone well because of it. An agent that failed by itself is no fault of the person.',
  'Most conversations have no fault: an empty list is a good answer. Never list what you cannot point at.',
  'Number the messages of the person from 1. Say what the person should have written or done instead.',
  'Answer with one JSON object and nothing else:',
  '{"faults": [{"message": 1, "kind": "...", "explanation": "...", "correct_behavior": "...", "is_critical": true or false}]}',
].join('\n');
