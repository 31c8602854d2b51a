/**
 * Types of the Chrome DevTools Protocol (CDP), derived from Playwright's.
 *
 * @module
 */
import type { CDPSession } from 'rebrowser-playwright'

declare const session: CDPSession
type Event = Parameters<CDPSession['on']>[0]
type Command = Parameters<CDPSession['send']>[0]

/** The parameters of an event. */
export type EventOf<E extends Event> = Parameters<Parameters<typeof session.on<E>>[1]>[0]
/** The parameters of a command. */
export type CommandOf<C extends Command> = NonNullable<Parameters<typeof session.send<C>>[1]>
