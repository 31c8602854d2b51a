/**
 * Processes that meet at one Redis for people who sign in, as many as a test likes, in this process.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { openRedisTickets } from '../../../src/ephemeral/redis/tickets.ts'
import { SignInLinks } from '../../../src/login/links.ts'
import { openRedisSignInTransport } from '../../../src/login/redis/transport.ts'
import { RelayGateway } from '../../../src/login/remote/relay/gateway.ts'
import { RelayHost } from '../../../src/login/remote/relay/host.ts'
import type { SignInTransport } from '../../../src/login/remote/relay/transport.ts'
import type { SignerDeps } from '../../../src/login/remote/session.ts'
import { openRedis } from '../../../src/redis/connection.ts'
import { Keyring } from '../../../src/vault/keyring.ts'
import { quiet } from '../../worker/quiet.ts'
import { signerOf, source } from './parts.ts'

export const aKey = (): string => randomBytes(32).toString('base64')

/** Keys as the settings of a process name them. */
export type Keys = { readonly vaultKey: string; readonly vaultKeyOld?: string }

export const keyringOf = ({
  vaultKey,
  vaultKeyOld = null,
}: {
  vaultKey: string
  vaultKeyOld?: string | null
}) => new Keyring({ vaultKey, vaultKeyOld, dataDir: '/nowhere' })

/** What a process has of Redis. */
export type AtRedis = {
  readonly transport: SignInTransport
  readonly signIns: SignInLinks
  close(): Promise<void>
}

export async function connectTo(url: string): Promise<AtRedis> {
  const redis = await openRedis(url, { onFailure: () => {} })
  return {
    transport: openRedisSignInTransport(redis),
    signIns: new SignInLinks(openRedisTickets(redis)),
    close: () => redis.close(),
  }
}

/** A gateway of a process of its own. */
export async function gatewayAt(url: string, keys: Keys): Promise<{ gateway: RelayGateway } & AtRedis> {
  const shared = await connectTo(url)
  const gateway = new RelayGateway({ ...shared, keyring: keyringOf(keys), logger: quiet, now: Date.now })
  const close = async () => {
    await gateway.stop()
    await shared.close()
  }
  return { ...shared, gateway, close }
}

/** A started host of a process of its own. */
export async function hostAt(
  url: string,
  keys: Keys,
  { browser, room, more }: { browser: SignerDeps['browser']; room: number; more?: Partial<SignerDeps> },
): Promise<{ host: RelayHost } & AtRedis> {
  const shared = await connectTo(url)
  const host = new RelayHost({
    ...shared,
    keyring: keyringOf(keys),
    signer: signerOf(browser, shared.signIns, room, more),
    sourceOf: (name) => (name === source.name ? source : undefined),
    logger: quiet,
    room,
  })
  host.start()
  const close = async () => {
    await host.stop()
    await shared.close()
  }
  return { ...shared, host, close }
}
