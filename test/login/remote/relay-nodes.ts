/**
 * Processes that meet at one Redis for people who sign in, as many as a test likes, in this process.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import type { SignIns } from '../../../src/login/links.ts'
import { openRedisSignIns } from '../../../src/login/redis/links.ts'
import { openRedisSignInWire } from '../../../src/login/redis/transport.ts'
import { RelayDesk } from '../../../src/login/remote/relay/desk.ts'
import { RelayPost } from '../../../src/login/remote/relay/post.ts'
import type { SignInWire } from '../../../src/login/remote/relay/transport.ts'
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
export type Place = { readonly wire: SignInWire; readonly signIns: SignIns; close(): Promise<void> }

export async function placeAt(url: string): Promise<Place> {
  const redis = await openRedis(url, { onFailure: () => {} })
  return { wire: openRedisSignInWire(redis), signIns: openRedisSignIns(redis), close: () => redis.close() }
}

/** A started desk of a process of its own. */
export async function deskAt(url: string, keys: Keys): Promise<{ desk: RelayDesk } & Place> {
  const place = await placeAt(url)
  const desk = new RelayDesk({ ...place, keyring: keyringOf(keys), logger: quiet, now: Date.now, lookMs: 20 })
  await desk.start()
  const close = async () => {
    await desk.stop()
    await place.close()
  }
  return { ...place, desk, close }
}

/** A started post of a process of its own. */
export async function postAt(
  url: string,
  keys: Keys,
  { browser, room, more }: { browser: SignerDeps['browser']; room: number; more?: Partial<SignerDeps> },
): Promise<{ post: RelayPost } & Place> {
  const place = await placeAt(url)
  const post = new RelayPost({
    ...place,
    keyring: keyringOf(keys),
    signer: signerOf(browser, place.signIns, room, more),
    sourceOf: (name) => (name === source.name ? source : undefined),
    logger: quiet,
    room,
  })
  await post.start()
  const close = async () => {
    await post.stop()
    await place.close()
  }
  return { ...place, post, close }
}
