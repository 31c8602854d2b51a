/**
 * The browser's own protocol (CDP), as Playwright types it.
 *
 * @module
 */
import type { CDPSession } from 'rebrowser-playwright'

declare const session: CDPSession
type Event = Parameters<CDPSession['on']>[0]
type Command = Parameters<CDPSession['send']>[0]

/** What an event tells. */
export type EventOf<E extends Event> = Parameters<Parameters<typeof session.on<E>>[1]>[0]
/** What a command is told. */
export type CommandOf<C extends Command> = NonNullable<Parameters<typeof session.send<C>>[1]>
/** What a command answers. */
export type ResultOf<C extends Command> = Awaited<ReturnType<typeof session.send<C>>>
