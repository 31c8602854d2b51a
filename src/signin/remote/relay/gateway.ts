/**
 * A gateway to sessions at hosts in any process. Any gateway can serve any session at any time.
 *
 * @module
 */

import type { Logger } from '../../../logger.ts'
import { randomBytes } from '../../../random.ts'
import type { Keyring } from '../../../vault/keyring.ts'
import { SignInError } from '../../browser/errors.ts'
import type { SignInLinks } from '../../links.ts'
import type { Gateway, SessionRequest, Viewer } from '../gateway.ts'
import { failure } from '../session-events.ts'
import { type GatewayCall, SessionSeal } from './seal.ts'
import type { SignInTransport } from './transport.ts'
import { RelayViewer } from './viewer.ts'

export type RelayGatewayDeps = {
  readonly transport: SignInTransport
  readonly keyring: Pick<Keyring, 'derived'>
  readonly signInLinks: Pick<SignInLinks, 'find' | 'close'>
  readonly logger: Pick<Logger, 'warn'>
  readonly now: () => number
}

/** How long a pending session outlives its link, so that it is ended explicitly before it expires, in milliseconds. */
const GRACE_MS = 10_000
/** The maximum size of a call, in bytes. */
const MOST_CALL_BYTES = 512 * 1024

export class RelayGateway implements Gateway {
  private readonly name = `gateway_${randomBytes(8).toString('hex')}`
  private calls = 0

  constructor(private readonly deps: RelayGatewayDeps) {}

  async open({ id, source, ...rest }: SessionRequest): Promise<void> {
    const { transport, keyring, signInLinks, now } = this.deps
    const seal = new SessionSeal(keyring, id)
    const wanted = seal.pack('pending', { ...rest, source: source.name })
    const forMs = Math.max(0, rest.expiresAt - now()) + GRACE_MS
    if (await transport.addPending(id, wanted, forMs)) return
    await transport.end(id, seal.pack('end', failure('busy')))
    await signInLinks.close(rest.hash)
  }

  async view(id: string): Promise<Viewer | undefined> {
    // An invented id costs no more than this.
    const { deps } = this
    if (!(await deps.transport.has(id))) return undefined
    const seal = new SessionSeal(deps.keyring, id)
    const call = (what: GatewayCall) => this.call(id, seal, what)
    return new RelayViewer({ ...deps, id, seal, call })
  }

  /** Passes a call on once. @throws {SignInError} the reason why it was not passed on @throws {StoreUnavailable} */
  private async call(id: string, seal: SessionSeal, call: GatewayCall): Promise<void> {
    const bytes = seal.pack('call', { gateway: this.name, n: ++this.calls, call })
    if (bytes.length > MOST_CALL_BYTES) throw new SignInError('bad-input')
    const why = await this.deps.transport.call(id, bytes)
    if (why !== undefined) throw new SignInError(why)
  }
}
