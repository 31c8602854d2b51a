/**
 * What a run has used over all its attempts.
 *
 * @module
 */
import type { RunUsage } from '../domain/run-events.ts'
import { plus } from '../net/transport/usage.ts'

export class TotalUsage {
  private execution: { readonly usage: RunUsage } | undefined

  /** @param before what the attempts before this one used */
  constructor(private before: RunUsage) {}

  /** From now on the usage of this execution is added; that of the one before it counts as it is now. */
  follow(execution: { readonly usage: RunUsage }): void {
    this.before = this.total
    this.execution = execution
  }

  get total(): RunUsage {
    return this.execution ? plus(this.before, this.execution.usage) : this.before
  }
}
