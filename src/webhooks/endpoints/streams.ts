/**
 * The streams of endpoints, and the secrets to which their events refer.
 *
 * @module
 */
import { type WebhookRow, webhooks as webhooksModel } from '../../../projections/webhooks.ts'
import { type AccountId, type WebhookId, webhookStream } from '../../domain/ids.ts'
import {
  isWebhook,
  type Webhook,
  type WebhookCommand,
  type WebhookState,
  webhookDecider,
} from '../../domain/webhook.ts'
import { unlessAway } from '../../log/away.ts'
import type { EventLog } from '../../log/event-log.ts'
import { type Cause, execute, type Loaded, load } from '../../log/execute.ts'
import { Refused } from '../../log/refused.ts'
import type { ListQuery, ReadModels } from '../../read/read-models.ts'
import { requireProjected, type WaitUntilProjected } from '../../read/wait-until-projected.ts'
import { newSecret } from '../sign.ts'
import { lostUrl, type SecretStore, type Secrets } from './secrets.ts'

/** The cause of a call's events, without the account. */
export type By = Omit<Cause, 'accountId'>
/** The endpoint whose secrets are looked up. */
export type SecretsOwner = Pick<Webhook, 'accountId' | 'webhookId' | 'secretsRef'>

/** More than an account can have, but for endpoints of calls that overlap or were interrupted. */
const MOST_ROWS = 100

export type StreamsOptions = {
  readonly log: EventLog
  readonly readModels: ReadModels
  readonly waitUntilProjected: WaitUntilProjected
  readonly secrets: SecretStore
}

export class WebhookStreams {
  constructor(private readonly options: StreamsOptions) {}

  /**
   * The current state of an endpoint: the read model's row plus the later events of its stream. If the read models are
   * unavailable, the whole stream is read.
   *
   * @throws {StoreUnavailable} when the log is unavailable
   */
  async load(id: WebhookId): Promise<Loaded<WebhookState>> {
    const { log, readModels } = this.options
    const [row, checkpoint] =
      (await unlessAway(
        Promise.all([readModels.get(webhooksModel, id), readModels.checkpoint(webhooksModel)]),
      )) ?? []
    return load(log, webhookStream(id), webhookDecider, row && checkpoint?.logId === log.id ? row : undefined)
  }

  /** The current state of an endpoint; undefined when the account has none with this id. */
  async find(account: AccountId, id: WebhookId): Promise<Webhook | undefined> {
    const { state } = await this.load(id)
    return isWebhook(state) && state.accountId === account ? state : undefined
  }

  /**
   * The secrets of an endpoint; undefined when the vault has lost them. A concurrent change removes those that
   * `webhook` still names: then the current ones are returned.
   */
  async secretsOf({ accountId, webhookId, secretsRef }: SecretsOwner): Promise<Secrets | undefined> {
    const secrets = await this.options.secrets.load(accountId, secretsRef)
    if (secrets) return secrets
    const { state } = await this.load(webhookId)
    return isWebhook(state) && state.secretsRef !== secretsRef ? this.secretsOf(state) : undefined
  }

  /**
   * Saves changed secrets and names them in an event. If another call was faster, the change is applied again to the
   * secrets that it saved.
   */
  async reseal(
    account: AccountId,
    id: WebhookId,
    cause: By,
    change: (secrets: Secrets) => Secrets,
    command: (ref: string, from: string) => WebhookCommand,
  ): Promise<Webhook | undefined> {
    const { secrets } = this.options
    for (;;) {
      const webhook = await this.find(account, id)
      if (!webhook) return undefined
      const before = webhook.secretsRef
      const current = await secrets.load(account, before)
      const ref = await secrets.save(
        account,
        change(current ?? { url: lostUrl(webhook.host), secret: newSecret() }),
      )
      const after = await this.handle(account, id, command(ref, before), cause)
      await secrets.remove(account, after?.secretsRef === ref ? before : ref)
      if (!after || after.secretsRef === ref) return after
    }
  }

  /** @returns the new state; undefined when the account has no endpoint with this id */
  async handle(
    account: AccountId,
    id: WebhookId,
    command: WebhookCommand,
    cause: By,
  ): Promise<Webhook | undefined> {
    const loaded = await this.load(id)
    if (isWebhook(loaded.state) && loaded.state.accountId !== account) return undefined
    const by = { ...cause, accountId: account }
    try {
      const { log } = this.options
      const { state } = await execute(log, webhookStream(id), webhookDecider, command, by, loaded)
      return isWebhook(state) ? state : undefined
    } catch (error) {
      // The endpoint was deleted, or its secrets were changed by a call that was faster.
      if (error instanceof Refused) return this.find(account, id)
      throw error
    }
  }

  /** All current endpoints of an account, the newest first. @throws {StoreUnavailable} also when the read model lags */
  list(account: AccountId): Promise<Webhook[]> {
    return this.read(account, 'descending', MOST_ROWS)
  }

  /** Up to `limit` current endpoints of an account, in the order of the log. @throws as {@link list} does */
  oldest(account: AccountId, limit: number): Promise<Webhook[]> {
    return this.read(account, 'ascending', limit)
  }

  private async read(account: AccountId, order: ListQuery['order'], limit: number): Promise<Webhook[]> {
    const { readModels } = this.options
    await requireProjected(this.options, webhooksModel)
    const query = { equals: [account], order, limit }
    const rows: WebhookRow[] = await readModels.list(webhooksModel, 'by_account', query)
    return rows.map(({ state }) => state)
  }
}
