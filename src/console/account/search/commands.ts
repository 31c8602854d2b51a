/**
 * What a person can do, as findings of the search: each leads to the form for it.
 *
 * @module
 */
import { mayAs, type Role } from '../../../domain/roles.ts'
import type { AccountVisitor } from '../../visitor.ts'
import type { Hit } from './hit.ts'

type Command = {
  readonly label: string
  /** further words that people may search for */
  readonly also: string
  /** below the account's; a fragment names a field, whose form opens */
  readonly path: string
  readonly role: Role
}

const COMMANDS: readonly Command[] = [
  { label: 'New run', also: 'start run task', path: '/tasks', role: 'member' },
  {
    label: 'Cancel runs',
    also: 'stop runs under way',
    path: '/runs?status=queued&status=running',
    role: 'member',
  },
  { label: 'Create an API key', also: 'new key token', path: '/keys#name', role: 'member' },
  { label: 'Create a webhook', also: 'new webhook', path: '/webhooks#url', role: 'owner' },
  { label: 'Invite a member', also: 'add somebody person', path: '/members#email', role: 'owner' },
  { label: 'Sign in to a source', also: 'log in login', path: '/logins', role: 'member' },
  { label: 'Set the low-balance notice', also: 'credits level alert', path: '/credits#level', role: 'owner' },
  { label: 'Rename the account', also: 'change name', path: '/settings#name', role: 'owner' },
  { label: 'Keyboard shortcuts', also: 'keys help', path: '/search#shortcuts', role: 'viewer' },
]

/** The commands that the person's role allows. */
export function commandHits({ base, own, role, person }: AccountVisitor): Hit[] {
  const hit = (label: string, also: string, path: string, isPost = false): Hit => ({
    label,
    detail: '',
    path,
    texts: [label, also],
    isPost,
  })
  return [
    ...COMMANDS.filter((command) => mayAs(role, command.role)).map(({ label, also, path }) =>
      hit(label, also, own + path),
    ),
    ...(person.isOperator
      ? [hit('Open an account', 'create new account operator', `${base}/console/operator#name`)]
      : []),
    hit('Change your password', 'profile', `${base}/console/me`),
    hit('Sign out', 'log out logout', `${base}/console/sign-out`, true),
  ]
}
