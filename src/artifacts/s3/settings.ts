/**
 * The bucket's address and credentials, from S3_URL and the usual environment variables.
 *
 * @module
 */
import { ConfigError } from '../../config.ts'

/** A bucket, or a part of it, with credentials. */
export type S3Bucket = {
  /** the bucket's URL without a trailing slash, like `https://host/bucket` or `https://bucket.host` */
  readonly address: string
  /** prefix of all keys: empty, or ending in a slash */
  readonly prefix: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** of temporary credentials */
  readonly sessionToken?: string
}

type Env = Readonly<Record<string, string | undefined>>
/** A bucket without credentials. */
type BucketAddress = Pick<S3Bucket, 'address' | 'prefix'> & { readonly region: string | undefined }

const FORM =
  'the address of a bucket: https://host[:port]/bucket[/prefix], https://bucket.s3.region.amazonaws.com[/prefix] or s3://bucket[/prefix]'
/** Unreserved characters only: no key ever needs encoding, so all servers compute the same signature. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/
const AMAZON = /^(?:(.+)\.)?s3(?:[.-]([a-z0-9-]+))?\.amazonaws\.com(?:\.cn)?$/

/**
 * Reads the bucket's address. Credentials in it take precedence over AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
 * AWS_SESSION_TOKEN. The region is the address's, else AWS_REGION, else AWS_DEFAULT_REGION, else `us-east-1`.
 *
 * @param url the setting S3_URL
 * @param env the environment
 * @throws {ConfigError} that names the setting and its valid form, and never shows its value
 */
export function readS3Bucket(url: string, env: Env): S3Bucket {
  if (!URL.canParse(url)) throw wrong()
  const parsed = new URL(url)
  if (parsed.search || parsed.hash) throw wrong('without query and fragment')
  const configured = env.AWS_REGION?.trim() || env.AWS_DEFAULT_REGION?.trim()
  const address = bucketAddressOf(parsed, configured, env)
  const region = address.region ?? configured ?? 'us-east-1'
  if (!/^[a-z0-9-]{1,64}$/.test(region)) {
    throw new ConfigError('AWS_REGION must be the name of a region, such as eu-central-1.')
  }
  return { ...address, region, ...credentialsOf(parsed, env) }
}

function bucketAddressOf(url: URL, region: string | undefined, env: Env): BucketAddress {
  const segments = url.pathname.split('/').filter((segment) => segment !== '')
  if (url.protocol === 's3:') return namedBucket(url.hostname, prefixOf(segments), region, env)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw wrong()
  const [, bucket, ofHost] = AMAZON.exec(url.hostname) ?? []
  // The host name contains the bucket: the whole path is the prefix.
  if (bucket !== undefined) return { address: url.origin, prefix: prefixOf(segments), region: ofHost }
  const [first, ...rest] = segments
  if (first === undefined || !NAME.test(first)) throw wrong()
  return { address: `${url.origin}/${first}`, prefix: prefixOf(rest), region: ofHost }
}

/** `s3://bucket`: at AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL if set, else at Amazon. */
function namedBucket(bucket: string, prefix: string, region: string | undefined, env: Env): BucketAddress {
  if (!NAME.test(bucket)) throw wrong()
  const endpoint = env.AWS_ENDPOINT_URL_S3?.trim() || env.AWS_ENDPOINT_URL?.trim()
  if (endpoint) {
    if (!/^https?:\/\/[^/?#@]+\/*$/.test(endpoint) || !URL.canParse(endpoint)) {
      throw new ConfigError('AWS_ENDPOINT_URL must be a URL such as https://host:port.')
    }
    return { address: `${new URL(endpoint).origin}/${bucket}`, prefix, region }
  }
  const host = `s3.${region ?? 'us-east-1'}.amazonaws.com`
  // A bucket name with a dot would not match the wildcard certificate.
  const address = bucket.includes('.') ? `https://${host}/${bucket}` : `https://${bucket}.${host}`
  return { address, prefix, region }
}

function prefixOf(segments: readonly string[]): string {
  if (!segments.every((segment) => NAME.test(segment))) {
    throw wrong('with a prefix of letters, digits, ".", "_" and "-"')
  }
  return segments.map((segment) => `${segment}/`).join('')
}

function credentialsOf(
  { username, password }: URL,
  env: Env,
): Pick<S3Bucket, 'accessKeyId' | 'secretAccessKey' | 'sessionToken'> {
  const inUrl = username !== '' || password !== ''
  const accessKeyId = inUrl ? decoded(username) : env.AWS_ACCESS_KEY_ID?.trim()
  const secretAccessKey = inUrl ? decoded(password) : env.AWS_SECRET_ACCESS_KEY?.trim()
  if (!accessKeyId || !secretAccessKey) {
    throw new ConfigError(
      inUrl
        ? 'S3_URL must have both an access key and a secret key before the "@", or neither. Its value is not shown.'
        : 'S3_URL is set: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are required with it',
    )
  }
  // They are sent in a header.
  if (!/^[\x21-\x7e]+$/.test(accessKeyId + secretAccessKey)) {
    throw new ConfigError(
      'The credentials of S3_URL must be printable characters without spaces. They are not shown.',
    )
  }
  const sessionToken = inUrl ? '' : env.AWS_SESSION_TOKEN?.trim()
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw wrong()
  }
}

const wrong = (more?: string): ConfigError =>
  new ConfigError(`S3_URL must be ${FORM}${more ? `, ${more}` : ''}. Its value is not shown.`)
