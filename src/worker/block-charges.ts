/**
 * The cost of a run: blocks charged while it executes, and the part of all charges that its end keeps.
 *
 * @module
 */
import type { Accounts } from '../accounts/accounts.ts'
import { CANARY_ACCOUNT_ID } from '../domain/health/canary.ts'
import type { LeasedRun, RunEnd } from '../domain/run.ts'
import { StoreUnavailable } from '../log/event-log.ts'
import type { Task } from '../plugin.ts'
import type { Lease } from './lease.ts'

export type BlockChargesDeps = {
  readonly accounts: Pick<Accounts, 'handle' | 'credits'>
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** The cost of a run that ends, for its terminal event. */
type Cost = Pick<RunEnd, 'charged' | 'unused'>

export class BlockCharges {
  /** credits charged in total, as far as known; undefined when no block was requested */
  total: number | undefined
  /** whether this attempt asked for a block: the charge may still be under way */
  private wasAsked = false

  /** @param causationId id of the claim's event */
  constructor(
    private readonly deps: BlockChargesDeps,
    private readonly run: LeasedRun,
    private readonly task: Task | undefined,
    private readonly causationId: string,
    private readonly lease: Pick<Lease, 'persist'>,
  ) {}

  /**
   * Charges a further block. Idempotent: a block is never charged twice.
   *
   * @returns `lost` when the run has ended, or its lease ended before the store answered
   */
  async charge(block: number): Promise<'paid' | 'refused' | 'lost'> {
    const price = this.task?.price
    if (typeof price !== 'object' || price.block === undefined) return 'refused'
    const { block: amount } = price
    const { accountId, runId, taskKey, correlationId } = this.run
    // The canary's runs are free of charge, and one block shows whether the source answers.
    if (accountId === CANARY_ACCOUNT_ID) return 'refused'
    this.wasAsked = true
    const { accounts, now } = this.deps
    const command = { type: 'charge', accountId, runId, taskKey, amount, block } as const
    const answer = await this.lease.persist(async () => {
      const cause = { accountId, correlationId, causationId: this.causationId, now: now() }
      const { refused } = await accounts.handle(command, cause)
      this.total = (await accounts.credits(accountId, runId))?.charged
      if (!refused) return 'paid'
      return refused === 'insufficient-credits' ? 'refused' : 'lost'
    })
    return answer ?? 'lost'
  }

  /**
   * Whether a block was asked for in this attempt, or charged in an earlier one, as far as the store can tell before the
   * lease ends.
   */
  async mayHaveBlocks(): Promise<boolean> {
    if (this.wasAsked) return true
    const price = this.task?.price
    if (typeof price !== 'object' || price.block === undefined) return false
    const { accountId, runId } = this.run
    const read = async () => ({ credits: await this.deps.accounts.credits(accountId, runId) })
    const answer = await this.lease.persist(read)
    return answer === undefined || (answer.credits?.blocks ?? 0) > 0
  }

  /**
   * The cost of the run at its end. A task that can't compute its spent credits is faulty, and everything is refunded.
   *
   * @param rest of the run's result, see `Collected`
   * @param faulty creates the end of such a run
   * @throws {StoreUnavailable}
   */
  async costOf(
    end: RunEnd,
    rest: string | undefined,
    faulty: (why: string) => RunEnd,
  ): Promise<{ readonly cost: Cost; readonly end: RunEnd }> {
    try {
      return { cost: await this.cost(end.status === 'succeeded' ? rest : undefined), end }
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      return { cost: await this.cost(undefined), end: faulty(String(error)) }
    }
  }

  /** @param rest of a succeeded run's result, JSON; undefined for every other end, when everything is refunded */
  private async cost(rest: string | undefined): Promise<Cost> {
    const price = this.task?.price
    if (typeof price !== 'object') return {}
    const { accountId, runId, charged: known } = this.run
    // A lost worker may have paid for a block that the run's events do not mention.
    const counted = price.block !== undefined ? await this.deps.accounts.credits(accountId, runId) : undefined
    const charged = counted?.charged ?? known
    if (rest === undefined || price.spent === undefined) return { charged }
    const spent = price.spent(JSON.parse(rest) as Readonly<Record<string, unknown>>)
    if (!Number.isSafeInteger(spent) || spent < 0)
      throw new RangeError(`the spent credits of ${this.task?.key} must be a whole number, not ${spent}`)
    return { charged, unused: Math.max(0, charged - spent) }
  }
}
