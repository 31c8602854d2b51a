/**
 * The nodes of a cluster and their leader, and how clients ask for them.
 *
 * @module
 */
import { randomUUID } from 'node:crypto'
import type { Endpoint } from './faults.ts'
import { frame } from './grpc.ts'
import { featureMessages, gossipMessages, shared } from './messages.ts'

/** A node as the other nodes see it. */
export type Member = Endpoint & { readonly id: string; alive: boolean }

/** The nodes and their leader, if any. All nodes share this object. */
export type Membership = { readonly members: Member[]; leader: Member | null }

export function newMember(endpoint: Endpoint): Member {
  return { ...endpoint, id: randomUUID(), alive: true }
}

const { ClusterInfo, EndPoint, MemberInfo } = gossipMessages
const { SupportedMethod, SupportedMethods } = featureMessages
const { VNodeState } = MemberInfo

/** The answer to Gossip.Read. */
export function gossip({ members, leader }: Membership): Buffer {
  const cluster = new ClusterInfo()
  cluster.setMembersList(
    members.map((member) => {
      const info = new MemberInfo()
      const id = new shared.UUID()
      id.setString(member.id)
      info.setInstanceId(id)
      info.setTimeStamp(`${Date.now()}0000`)
      const following = leader ? VNodeState.FOLLOWER : VNodeState.UNKNOWN
      info.setState(member === leader ? VNodeState.LEADER : following)
      info.setIsAlive(member.alive)
      const endpoint = new EndPoint()
      endpoint.setAddress(member.host)
      endpoint.setPort(member.port)
      info.setHttpEndPoint(endpoint)
      return info
    }),
  )
  return frame(cluster.serializeBinary())
}

/** The answer of ServerFeatures: the methods' paths, from which clients learn what they may call. */
export function features(version: string, paths: readonly string[]): Buffer {
  const supported = new SupportedMethods()
  supported.setEventStoreServerVersion(version)
  supported.setMethodsList(
    paths.map((path) => {
      const [, service = '', name = ''] = path.toLowerCase().split('/')
      const method = new SupportedMethod()
      method.setServiceName(service)
      method.setMethodName(name)
      return method
    }),
  )
  return frame(supported.serializeBinary())
}
