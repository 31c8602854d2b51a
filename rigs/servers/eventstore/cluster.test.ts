import { afterAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/temporary.ts'
import { cert, key } from './certificate.ts'
import { startCluster } from './cluster.ts'
import { startEventStore } from './server.ts'
import {
  anEvent,
  append,
  aStream,
  clientOf,
  endClients,
  errorOf,
  failure,
  gather,
  listenTo,
} from './target.ts'

endClients()
const folder = temporaryFolder()

describe('a cluster', () => {
  test('has one leader, which clients find', async () => {
    const cluster = await startCluster(3)
    afterAll(() => cluster.stop())
    for (const leader of [0, 2, 1]) {
      cluster.lead(leader)
      const client = clientOf(`${cluster.url}&connectionName=${leader}`)
      expect(await append(client, aStream(), 'no_stream', anEvent())).toMatchObject({ success: true })
    }
  })

  test('refuses appends at followers, which name the leader and answer reads', async () => {
    const cluster = await startCluster(2)
    afterAll(() => cluster.stop())
    const [leader, follower] = cluster.nodes.map(({ url }) => clientOf(url))
    const stream = aStream()
    await append(leader!, stream, 'no_stream', anEvent())
    expect(await gather(follower!.readStream(stream))).toHaveLength(1)
    const impatient = follower!.readStream(stream, { requiresLeader: true })
    expect(await errorOf(gather(impatient))).toMatchObject({ type: 'not-leader' })
    const again = clientOf(`${cluster.nodes[1]!.url}&connectionName=again`)
    expect(await errorOf(append(again, stream, 0n, anEvent()))).toMatchObject({
      type: 'not-leader',
      leader: { address: '127.0.0.1', port: cluster.nodes[0]!.port },
    })
    // The client has switched to the leader.
    expect(await append(again, stream, 0n, anEvent())).toMatchObject({ nextExpectedRevision: 1n })
  })

  test('works under a new leader after a change and after a node stopped', async () => {
    const cluster = await startCluster(3)
    afterAll(() => cluster.stop())
    const client = clientOf(cluster.url)
    const stream = aStream()
    await append(client, stream, 'no_stream', anEvent())
    cluster.lead(1)
    expect(await errorOf(append(client, stream, 0n, anEvent()))).toMatchObject({ type: 'not-leader' })
    await append(client, stream, 0n, anEvent())
    await cluster.nodes[1]!.stop()
    cluster.lead(2)
    expect(await errorOf(append(client, stream, 1n, anEvent()))).toMatchObject({ code: 14 })
    await append(client, stream, 1n, anEvent())
    expect(await gather(client.readStream(stream))).toHaveLength(3)
  })

  test('without a leader refuses appends, and clients find no node', async () => {
    const cluster = await startCluster(2)
    afterAll(() => cluster.stop())
    const client = clientOf(`${cluster.url}&maxDiscoverAttempts=2&connectionName=before`)
    const stream = aStream()
    await append(client, stream, 'no_stream', anEvent())
    cluster.lead(null)
    expect(await errorOf(append(client, stream, 0n, anEvent()))).toEqual(failure('unknown', 2))
    const late = clientOf(`${cluster.url}&maxDiscoverAttempts=2&connectionName=late`)
    expect(String(await errorOf(append(late, stream, 0n, anEvent())))).toContain('Failed to discover')
  })

  test('delivers events written at one node to subscribers of another', async () => {
    const cluster = await startCluster(2)
    afterAll(() => cluster.stop())
    const [leader, follower] = cluster.nodes.map(({ url }) => clientOf(url))
    const { until, ids } = listenTo(follower!.subscribeToAll({ fromPosition: 'end' }))
    await until((events) => events.some(({ kind }) => kind === 'caughtUp'))
    const event = anEvent()
    await append(leader!, aStream(), 'no_stream', event)
    await until((events) => events.some(({ kind }) => kind === 'event'))
    expect(ids()).toEqual([event.id])
  })
})

describe('with TLS', () => {
  const authority = join(folder, 'authority.pem')
  writeFileSync(authority, cert)

  test('a client that trusts the certificate appends, reads and subscribes', async () => {
    const server = await startEventStore({ tls: { key, cert, host: 'localhost' } })
    afterAll(() => server.stop())
    const client = clientOf(`${server.url}&tlsCAFile=${authority}`)
    const stream = aStream()
    const { until } = listenTo(client.subscribeToAll({ fromPosition: 'end' }))
    await until((events) => events.some(({ kind }) => kind === 'caughtUp'))
    await append(client, stream, 'no_stream', anEvent())
    expect(await gather(client.readStream(stream))).toHaveLength(1)
    await until((events) => events.some(({ kind }) => kind === 'event'))
  })

  test('a client that does not trust the certificate cannot connect', async () => {
    const server = await startEventStore({ tls: { key, cert, host: 'localhost' } })
    afterAll(() => server.stop())
    const stranger = clientOf(server.url)
    const options = { credentials: { username: '', password: '' }, deadline: 3_000 }
    expect(await errorOf(stranger.appendToStream(aStream(), anEvent(), options))).toMatchObject({ code: 14 })
  })

  test('a client finds the leader of a cluster', async () => {
    const cluster = await startCluster(2, { tls: { key, cert, host: 'localhost' } })
    afterAll(() => cluster.stop())
    const client = clientOf(`${cluster.url}&tlsCAFile=${authority}`)
    expect(await append(client, aStream(), 'no_stream', anEvent())).toMatchObject({ success: true })
  })
})
