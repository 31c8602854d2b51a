/**
 * The operator of the instance: grants credits and sets entitlements, each call with an Idempotency-Key.
 *
 * @module
 */
import type { Tenant } from './clients.ts'
import { ask, CutOff } from './http.ts'
import type { Network } from './network.ts'
import { type Node, OPERATOR_KEY } from './node.ts'
import type { Seeded } from './random.ts'

/** A requested grant, possibly requested several times. No other grant has its amount. */
export type Grant = { readonly account: string; readonly amount: number; isAnswered: boolean }

const FIRST_AMOUNT = 11

export class Operator {
  readonly grants: Grant[] = []
  private readonly random: Seeded

  constructor(
    private readonly network: Network,
    private readonly nodes: readonly Node[],
    private readonly tenants: readonly Tenant[],
  ) {
    this.random = network.world.random.fork()
  }

  /** Works until `isOver`. */
  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.network.world.sleep(this.random.whole(200, 2500))
      try {
        if (this.random.chance(0.3)) await this.entitle()
        else await this.grant()
      } catch (error) {
        if (!(error instanceof CutOff))
          this.network.world.wrong.push(`the operator: ${(error as Error).message}`)
      }
    }
  }

  private async grant(): Promise<void> {
    const before = this.grants.filter(({ isAnswered }) => !isAnswered)
    const { id } = this.random.pick(this.tenants)
    const grant = this.random.pick(before) ?? {
      account: id,
      amount: FIRST_AMOUNT + this.grants.length,
      isAnswered: false,
    }
    if (!before.includes(grant)) this.grants.push(grant)
    const { account, amount } = grant
    const body = { account_id: account, amount }
    const { status } = await this.call('/admin/grant-credits', body, `grant-${amount}`)
    if (status === 409) return
    if (status !== 200) throw new Error(`a grant was answered ${status}`)
    grant.isAnswered = true
  }

  private async entitle(): Promise<void> {
    const body = {
      account_id: this.random.pick(this.tenants).id,
      limits: { concurrent_runs: this.random.whole(3, 6) },
    }
    const { status } = await this.call('/admin/set-entitlements', body, `entitle-${this.random.whole(0, 3)}`)
    if (status !== 200 && status !== 409 && status !== 422)
      throw new Error(`entitlements were answered ${status}`)
  }

  private async call(path: string, body: object, key: string) {
    const up = this.nodes.filter(({ isUp }) => isUp)
    if (up.length === 0) throw new CutOff()
    const headers = { 'idempotency-key': key }
    const answer = await ask(this.network, this.random.pick(up), path, { body, key: OPERATOR_KEY, headers })
    if (answer.status === 503) throw new CutOff()
    return answer
  }
}
