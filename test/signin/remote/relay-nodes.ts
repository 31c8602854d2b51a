/**
 * Gateways and hosts of sign-ins that share one Redis, any number of them within this process.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { openRedisTickets } from '../../../src/ephemeral/redis/tickets.ts'
import { openRedis } from '../../../src/redis/connection.ts'
import { SignInLinks } from '../../../src/signin/links.ts'
import { openRedisSignInTransport } from '../../../src/signin/redis/transport.ts'
import { RelayGateway } from '../../../src/signin/remote/relay/gateway.ts'
import { RelayHost } from '../../../src/signin/remote/relay/host.ts'
import type { SignInTransport } from '../../../src/signin/remote/relay/transport.ts'
import type { SessionDeps } from '../../../src/signin/remote/session.ts'
import { Keyring } from '../../../src/vault/keyring.ts'
import { quiet } from '../../worker/quiet.ts'
import { localSessionsOf, source } from './parts.ts'

export const aKey = (): string => randomBytes(32).toString('base64')

/** The vault keys, named as in the settings of a process. */
export type Keys = { readonly vaultKey: string; readonly vaultKeyOld?: string }

export const keyringOf = ({
  vaultKey,
  vaultKeyOld = null,
}: {
  vaultKey: string
  vaultKeyOld?: string | null
}) => new Keyring({ vaultKey, vaultKeyOld, dataDir: '/nowhere' })

/** The stores that a process has in Redis. */
export type AtRedis = {
  readonly transport: SignInTransport
  readonly signInLinks: SignInLinks
  close(): Promise<void>
}

export async function connectTo(url: string): Promise<AtRedis> {
  const redis = await openRedis(url, { onFailure: () => {} })
  return {
    transport: openRedisSignInTransport(redis),
    signInLinks: new SignInLinks(openRedisTickets(redis)),
    close: () => redis.close(),
  }
}

/** A gateway with its own connection, as in a separate process. */
export async function gatewayAt(url: string, keys: Keys): Promise<{ gateway: RelayGateway } & AtRedis> {
  const shared = await connectTo(url)
  const gateway = new RelayGateway({ ...shared, keyring: keyringOf(keys), logger: quiet, now: Date.now })
  const close = async () => {
    await shared.close()
  }
  return { ...shared, gateway, close }
}

/** A started host with its own connection, as in a separate process. */
export async function hostAt(
  url: string,
  keys: Keys,
  { browser, room, more }: { browser: SessionDeps['browser']; room: number; more?: Partial<SessionDeps> },
): Promise<{ host: RelayHost } & AtRedis> {
  const shared = await connectTo(url)
  const host = new RelayHost({
    ...shared,
    keyring: keyringOf(keys),
    localSessions: localSessionsOf(browser, shared.signInLinks, room, more),
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
