/**
 * Takes out of the vault what no login's stream names: a crash may come between a state and the event that names it, or
 * between the event that ends a login and the end of its state.
 *
 * @module
 */
import pLimit from 'p-limit'
import { clock } from '../async/clock.ts'
import type { StoredState, Vault } from '../vault/vault.ts'
import type { Logins } from './logins.ts'

export type VaultSweepDeps = {
  readonly vault: Pick<Vault, 'list' | 'remove'>
  readonly logins: Pick<Logins, 'usable'>
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** Time for whoever has just saved a state to name it, in milliseconds. */
const NAMED_MS = 3_600_000
/** From the begin of one sweep to the next, in milliseconds. */
const EVERY_MS = 3_600_000
/** States that are looked at in one step, and side by side. */
const PAGE = 200
const AT_ONCE = 16

export class VaultSweep {
  /** those that this sweep has not looked at */
  private rest: StoredState[] = []
  /** milliseconds of `clock.monotonic()` */
  private begun = Number.NEGATIVE_INFINITY

  constructor(private readonly deps: VaultSweepDeps) {}

  /**
   * Goes on with a sweep, or begins one when it is time. A page that fails is begun again by the next step.
   *
   * @returns how many states it destroyed
   * @throws {StoreUnavailable}
   */
  async step(): Promise<number> {
    const { vault, now } = this.deps
    if (this.rest.length === 0 && clock.monotonic() - this.begun >= EVERY_MS) {
      this.rest = await vault.list(now() - NAMED_MS)
      this.begun = clock.monotonic()
    }
    const page = this.rest.slice(0, PAGE)
    const destroyed = await pLimit(AT_ONCE).map(page, (state) => this.look(state))
    this.rest.splice(0, page.length)
    return destroyed.filter(Boolean).length
  }

  /** Destroys a state unless runs may use it. @returns whether it did */
  private async look({ account, source, ref }: StoredState): Promise<boolean> {
    const { vault, logins } = this.deps
    if ((await logins.usable(account, source))?.ref === ref) return false
    await vault.remove(account, source, ref)
    return true
  }
}
