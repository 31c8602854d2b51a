/**
 * The shape of every aggregate: how its stream is folded into a state, and how that state answers a command.
 *
 * @module
 */
import type { DomainEvent, Metadata } from './events.ts'

/** Why a command is refused: a stable code, and the facts that explain it. */
export type Refusal = { readonly refused: string }

/** The events that a command produces (none if nothing is left to do), or why it is refused. */
export type Decision<Event extends DomainEvent, Refused extends Refusal> = readonly Event[] | Refused

/** How a stream becomes a state. */
export type Fold<State> = {
  /** the state of a stream without events */
  readonly initial: State
  /** The state after an event. An event of another kind of stream changes nothing. */
  evolve(state: State, event: DomainEvent, meta: Metadata): State
}

/** An aggregate. Pure: a command carries the time, ids and all facts from outside its stream. */
export type Decider<Command, State, Event extends DomainEvent, Refused extends Refusal> = Fold<State> & {
  decide(command: Command, state: State): Decision<Event, Refused>
}
