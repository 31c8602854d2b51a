/**
 * A source: a public web site, how fast it may be read, and its tasks.
 *
 * @module
 */
import type { Task } from './task.ts'

/** How fast a source is read, over all runs of a process. */
export type Pace = {
  /** requests a second to one host; default 5 */
  readonly perSecond?: number
  /** requests under way at once to one host; default 4 */
  readonly concurrent?: number
}

export type SourceOptions = {
  /** lower-case letters, digits and `_`; the first part of its tasks' keys */
  readonly name: string
  readonly title: string
  /** where it is, without a path: `https://en.wikipedia.org`. SOURCE_<NAME>_ORIGIN replaces it */
  readonly origin: string
  /**
   * The hosts that requests may go to: names, or `*.example.org` for all names below one. The origin's host is
   * always among them. Matched against the host name of every request and every redirect.
   */
  readonly hosts?: readonly string[]
  readonly pace?: Pace
  /** Addresses of pages that stand for a block, consent or sign-in; a redirect to one is not followed. */
  readonly walls?: readonly Wall[]
  readonly tasks: readonly Task[]
}

/** A page of the source that is shown instead of the content, known by the address of a redirect to it. */
export type Wall = {
  /** matched against the absolute URL of a redirect's `Location` */
  readonly url: RegExp
  readonly ends: 'source-blocked' | 'source-login-required' | 'restricted' | 'private' | 'not-found'
}

export type Source = SourceOptions

/**
 * Declares a source. A plugin folder's `source.ts` has it as its default export.
 *
 * @throws TypeError naming what is wrong with the declaration
 */
export function defineSource(options: SourceOptions): Source {
  const { name, origin, tasks } = options
  if (!/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new TypeError(`source name "${name}": lower-case letters, digits and _ only`)
  }
  if (new URL(origin).origin !== origin)
    throw new TypeError(`origin "${origin}" of ${name} must be a bare origin`)
  for (const task of tasks) {
    if (!task.key.startsWith(`${name}.`)) throw new TypeError(`task ${task.key} must begin with "${name}."`)
  }
  return options
}
