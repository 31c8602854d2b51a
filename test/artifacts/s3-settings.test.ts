import { describe, expect, test } from 'bun:test'
import { readS3Bucket } from '../../src/artifacts/s3/settings.ts'
import { ConfigError } from '../../src/config.ts'

const KEYS = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'hush-secret' }

describe('S3_URL', () => {
  test.each([
    ['http://127.0.0.1:9000/bucket', 'http://127.0.0.1:9000/bucket', '', 'us-east-1'],
    ['https://minio.example/bucket/', 'https://minio.example/bucket', '', 'us-east-1'],
    ['https://minio.example/bucket/a/b-1/', 'https://minio.example/bucket', 'a/b-1/', 'us-east-1'],
    [
      'https://s3.eu-west-3.amazonaws.com/bucket/x',
      'https://s3.eu-west-3.amazonaws.com/bucket',
      'x/',
      'eu-west-3',
    ],
    [
      'https://my.bucket.s3.eu-west-3.amazonaws.com',
      'https://my.bucket.s3.eu-west-3.amazonaws.com',
      '',
      'eu-west-3',
    ],
    [
      'https://b-1.s3.eu-west-3.amazonaws.com/x/y',
      'https://b-1.s3.eu-west-3.amazonaws.com',
      'x/y/',
      'eu-west-3',
    ],
    ['https://b-1.s3.amazonaws.com/x', 'https://b-1.s3.amazonaws.com', 'x/', 'us-east-1'],
    ['s3://bucket', 'https://bucket.s3.us-east-1.amazonaws.com', '', 'us-east-1'],
    ['s3://bucket/pre/fix/', 'https://bucket.s3.us-east-1.amazonaws.com', 'pre/fix/', 'us-east-1'],
    ['s3://buck.et/pre', 'https://s3.us-east-1.amazonaws.com/buck.et', 'pre/', 'us-east-1'],
  ])('%s', (url, address, prefix, region) => {
    expect(readS3Bucket(url, KEYS)).toEqual({
      address,
      prefix,
      region,
      accessKeyId: 'AKID',
      secretAccessKey: 'hush-secret',
    })
  })

  test('the region of the address wins over the environment, which wins over the default', () => {
    const env = { ...KEYS, AWS_REGION: 'eu-north-1', AWS_DEFAULT_REGION: 'eu-south-1' }
    expect(readS3Bucket('https://s3.eu-west-3.amazonaws.com/b1', env).region).toBe('eu-west-3')
    expect(readS3Bucket('https://store.example/b1', env).region).toBe('eu-north-1')
    expect(readS3Bucket('s3://b1', env)).toMatchObject({
      region: 'eu-north-1',
      address: 'https://b1.s3.eu-north-1.amazonaws.com',
    })
    expect(readS3Bucket('s3://b1', { ...env, AWS_REGION: ' ' }).region).toBe('eu-south-1')
  })

  test('s3:// uses the endpoint of the environment', () => {
    const env = { ...KEYS, AWS_ENDPOINT_URL: 'http://minio:9000/' }
    expect(readS3Bucket('s3://b1/x', env)).toMatchObject({ address: 'http://minio:9000/b1', prefix: 'x/' })
    const both = { ...env, AWS_ENDPOINT_URL_S3: 'https://s3.example' }
    expect(readS3Bucket('s3://b1/x', both).address).toBe('https://s3.example/b1')
  })

  test('credentials in the URL win over the environment, whose session token is then ignored', () => {
    const env = { ...KEYS, AWS_SESSION_TOKEN: 'token' }
    expect(readS3Bucket('https://h.example/b1', env)).toMatchObject({
      accessKeyId: 'AKID',
      sessionToken: 'token',
    })
    expect(readS3Bucket('https://me:p%2Fw%40@h.example/b1', env)).toEqual({
      address: 'https://h.example/b1',
      prefix: '',
      region: 'us-east-1',
      accessKeyId: 'me',
      secretAccessKey: 'p/w@',
    })
  })

  test.each([
    ['https://me:hush-secret@h.example'],
    ['https://me:hush-secret@h.example/'],
    ['https://me:hush-secret@h.example/b1?x=1'],
    ['https://me:hush-secret@h.example/b1#x'],
    ['https://me:hush-secret@h.example/b1/a b'],
    ['https://me:hush-secret@h.example/-b/a'],
    ['https://me:hush-secret@h.example/b1/%2e%2e/x/ü'],
    ['https://me:hush-secret%@h.example/b1'],
    ['https://me@h.example/b1/hush-secret'],
    ['ftp://me:hush-secret@h.example/b1'],
    ['s3://me:hush-secret@/x'],
    ['hush-secret'],
  ])('%s is refused, and the error does not show the secret', (url) => {
    expect(() => readS3Bucket(url, KEYS)).toThrow(ConfigError)
    expect(() => readS3Bucket(url, KEYS)).not.toThrow(/hush-secret/)
    expect(() => readS3Bucket(url, KEYS)).toThrow(/S3_URL/)
  })

  test.each([
    [{}, /AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are required/],
    [{ AWS_ACCESS_KEY_ID: 'AKID' }, /required/],
    [{ ...KEYS, AWS_REGION: 'no region!' }, /AWS_REGION/],
    [{ ...KEYS, AWS_SECRET_ACCESS_KEY: 'hush-secret\n2' }, /printable/],
    [{ ...KEYS, AWS_ENDPOINT_URL: 'minio:9000' }, /AWS_ENDPOINT_URL/],
  ])('an invalid environment is refused', (env, message) => {
    expect(() => readS3Bucket('s3://b1', env)).toThrow(message)
    expect(() => readS3Bucket('s3://b1', env)).not.toThrow(/hush-secret/)
  })
})
