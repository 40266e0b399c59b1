/** One table is the whole lifecycle: what is not in it does not happen. */
export type Transitions<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State>>>>
>;

/** The state after `event`, or undefined when the event arrived too late (or too early) to count. */
export function nextIn<State extends string, Event extends string>(
  transitions: Transitions<State, Event>,
  state: State,
  event: Event,
): State | undefined {
  return Object.hasOwn(transitions[state], event) ? transitions[state][event] : undefined;
}

/** A final state never changes again. */
export const isFinalIn = <State extends string, Event extends string>(
  transitions: Transitions<State, Event>,
  state: State,
): boolean => Object.keys(transitions[state]).length === 0;
