/**
 * The vault of several nodes: objects in the artifact store's bucket, under a separate prefix that the sweep of
 * artifacts never touches.
 *
 * @module
 */
import { type S3Answer, S3Client, type S3Request } from '../artifacts/s3/client.ts'
import type { S3Bucket } from '../artifacts/s3/settings.ts'
import type { Listed, VaultObjects } from './objects.ts'

const PREFIX = 'vault/'
const CONTENT = { 'content-type': 'application/octet-stream' }
/** The statuses with which stores without conditional writes answer them. */
const NO_CONDITIONS = [400, 501]

export type S3VaultOptions = {
  readonly bucket: S3Bucket
  /** see {@link S3Client} */
  readonly onFailure?: ((error: unknown) => void) | undefined
  /** how many keys a request lists; default 1,000, which is the maximum of S3 */
  readonly pageKeys?: number
}

/** Opens the store. No request is sent before the first use. */
export const openS3Vault = ({ bucket, onFailure, pageKeys = 1000 }: S3VaultOptions): VaultObjects =>
  new S3Vault(new S3Client(bucket, onFailure), `${bucket.prefix}${PREFIX}`, pageKeys)

class S3Vault implements VaultObjects {
  constructor(
    private readonly client: S3Client,
    private readonly prefix: string,
    private readonly pageKeys: number,
  ) {}

  async put(key: string, body: Uint8Array): Promise<void> {
    await this.send('PUT', key, { body, headers: CONTENT })
  }

  /** If the store lacks conditional writes, two processes that create it concurrently may both get true. */
  async create(key: string, body: Uint8Array): Promise<boolean> {
    if (await this.get(key)) return false
    const headers = { ...CONTENT, 'if-none-match': '*' }
    const { status } = await this.send('PUT', key, { body, headers, accepts: [...NO_CONDITIONS, 409, 412] })
    if (NO_CONDITIONS.includes(status)) await this.put(key, body)
    return status !== 409 && status !== 412
  }

  /** If the store lacks conditional writes, a deletion between the check and the write is overwritten. */
  async replace(key: string, body: Uint8Array): Promise<boolean> {
    const there = await this.send('HEAD', key, { accepts: [404] })
    if (there.status === 404) return false
    const headers = { ...CONTENT, 'if-match': there.headers.get('etag') ?? '*' }
    const { status } = await this.send('PUT', key, { body, headers, accepts: [...NO_CONDITIONS, 404, 412] })
    if (NO_CONDITIONS.includes(status)) await this.put(key, body)
    return status !== 404 && status !== 412
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const { status, body } = await this.send('GET', key, { accepts: [404] })
    return status === 404 ? undefined : body
  }

  async delete(key: string): Promise<void> {
    await this.send('DELETE', key, { accepts: [404] })
  }

  async list(prefix: string): Promise<Listed[]> {
    const listed: Listed[] = []
    for (let after: string | undefined; ; ) {
      const { objects, isLast } = await this.client.list(this.prefix + prefix, this.pageKeys, after)
      listed.push(...objects.map(({ key, at }) => ({ key: key.slice(this.prefix.length), at })))
      if (isLast) return listed
      after = objects.at(-1)?.key
    }
  }

  async close(): Promise<void> {}

  private send(
    method: S3Request['method'],
    key: string,
    rest: Pick<S3Request, 'body' | 'headers' | 'accepts'>,
  ): Promise<S3Answer> {
    return this.client.send({ method, key: this.prefix + key, ...rest })
  }
}
