/**
 * The vault of several nodes: objects of the artifact store's bucket, below a prefix of their own, where no sweep of
 * artifacts looks.
 *
 * @module
 */
import { S3Client } from '../artifacts/s3/client.ts'
import type { S3Bucket } from '../artifacts/s3/settings.ts'
import type { Listed, VaultObjects } from './objects.ts'

const PREFIX = 'vault/'
const CONTENT = { 'content-type': 'application/octet-stream' }
/** Nobody waits for a list of the whole vault; in milliseconds. */
const LIST_ALL_MS = 8000
/** What a store without conditional writes says of one. */
const NO_CONDITIONS: ReadonlySet<number> = new Set([400, 501])

export type S3VaultOptions = {
  readonly bucket: S3Bucket
  /** told of each failure that heals by itself: a request is tried again. By default a warning of the process */
  readonly onFailure?: ((error: unknown) => void) | undefined
  /** how many keys a request lists; default 1,000, the most that a store gives */
  readonly pageKeys?: number
}

/** Opens the store; nothing is asked of it before it is used. */
export function openS3Vault({
  bucket,
  onFailure = (error) => process.emitWarning(`the vault's store is asked again: ${error}`),
  pageKeys = 1000,
}: S3VaultOptions): VaultObjects {
  return new S3Vault(new S3Client(bucket, onFailure), `${bucket.prefix}${PREFIX}`, pageKeys)
}

class S3Vault implements VaultObjects {
  constructor(
    private readonly client: S3Client,
    private readonly prefix: string,
    private readonly pageKeys: number,
  ) {}

  async put(key: string, body: Uint8Array): Promise<void> {
    await this.client.send({ method: 'PUT', key: this.prefix + key, headers: CONTENT, body })
  }

  /** Where the store knows no conditional writes, a deletion in the moment between look and write is overwritten. */
  async replace(key: string, body: Uint8Array): Promise<boolean> {
    const request = { method: 'PUT', key: this.prefix + key, body } as const
    const there = await this.client.send({ method: 'HEAD', key: request.key, accepts: [404] })
    const tag = there.headers.get('etag')
    if (there.status === 404) return false
    const conditional = { ...CONTENT, ...(tag === null ? {} : { 'if-match': tag }) }
    const accepts = [...NO_CONDITIONS, 404, 412]
    const { status } = await this.client.send({ ...request, headers: conditional, accepts })
    if (NO_CONDITIONS.has(status)) await this.client.send({ ...request, headers: CONTENT })
    return status !== 404 && status !== 412
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const { status, body } = await this.client.send({
      method: 'GET',
      key: this.prefix + key,
      accepts: [404],
    })
    return status === 404 ? undefined : body
  }

  async delete(key: string): Promise<void> {
    await this.client.send({ method: 'DELETE', key: this.prefix + key, accepts: [404] })
  }

  async list(prefix: string): Promise<Listed[]> {
    const listed: Listed[] = []
    const limitMs = prefix === '' ? LIST_ALL_MS : undefined
    for (let after: string | undefined; ; ) {
      const page = await this.client.list(this.prefix + prefix, { after, limit: this.pageKeys, limitMs })
      listed.push(...page.objects.map(({ key, at }) => ({ key: key.slice(this.prefix.length), at })))
      if (page.isLast) return listed
      after = page.objects.at(-1)?.key
    }
  }

  async close(): Promise<void> {}
}
