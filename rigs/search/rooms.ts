/**
 * All searched models.
 *
 * @module
 */
import { personAndAddress } from './people/address.ts'
import { rolesAndLastOwner } from './people/members.ts'
import type { Room } from './room.ts'
import { claimAndLease } from './runs/claim-and-lease.ts'
import { kickoffToEnd } from './runs/kickoff-to-end.ts'

export const ROOMS: readonly Room[] = [kickoffToEnd, claimAndLease, rolesAndLastOwner, personAndAddress]
