/**
 * `gleaner people`: manages the people who sign in to the console, with the operator's rights.
 *
 * @module
 */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { people as peopleModel } from '../../projections/people.ts'
import { type AccountId, type PersonId, parsePersonId } from '../domain/ids.ts'
import { ROLES, type Role } from '../domain/roles.ts'
import { refusalOf } from '../log/refused.ts'
import { openPeople } from '../people/open.ts'
import { emailIssue } from '../people/profiles.ts'
import { accountOption } from './arguments.ts'
import { columns } from './columns.ts'
import { CommandFailed } from './failure.ts'
import { type Io, outJson } from './io.ts'
import { withKeys } from './keys.ts'
import { causeOf, mustExist, type Opened } from './stores.ts'

/** The stores and objects that the commands use. */
type Room = Opened & ReturnType<typeof openPeople>

const MOST = 10_000

export function addPeople(program: Command, io: Io): void {
  const people = program.command('people').description('Manages the people who sign in to the console.')
  people
    .command('list')
    .description('Lists all people.')
    .option('--json', 'Writes JSON.')
    .action(({ json }: { json?: true }) => list(io, json === true))
  people
    .command('invite')
    .description('Creates a link to join an account. It works once, within seven days.')
    .argument('<address>', 'Their e-mail address.', parseAddress)
    .addOption(accountOption('Which account'))
    .addOption(new Option('--role <role>', 'What they may do.').choices(ROLES).default('member'))
    .action((email: string, { account, role }: { account: AccountId; role: Role }) =>
      withPeople(io, async ({ invitations, accounts }) => {
        await mustExist(accounts, account)
        io.err(`${email} joins ${account} as ${role} with this link, which is shown only once:\n`)
        const { url } = await invitations.invite(account, email, role, causeOf(io, 'people invite'))
        io.out(`${url}\n`)
      }),
    )
  people
    .command('setup-link')
    .description('Creates a link to set up the console, as long as no operator exists.')
    .action(() =>
      withPeople(io, async ({ people, links }) => {
        if (await people.hasOperator())
          throw new CommandFailed('An operator already exists. Use gleaner people invite.')
        io.out(`${await links.make({ kind: 'setup' })}\n`)
      }),
    )
  people
    .command('reset')
    .description('Creates a link to set a new password. It works once, within 24 hours.')
    .argument('<person>', 'Their e-mail address or id.')
    .action((person: string) =>
      withPeople(io, async (room) => {
        const personId = await personOf(room, person)
        io.out(`${(await room.members.reset(personId, null)).url}\n`)
      }),
    )
  people
    .command('remove')
    .description('Removes a person and destroys their name, address and password permanently.')
    .argument('<person>', 'Their e-mail address or id.')
    .action((person: string) => remove(io, person))
}

const list = (io: Io, json: boolean) =>
  withPeople(io, async ({ people, stores }) => {
    const rows = await stores.readModels.list(peopleModel, 'all', {
      equals: [1],
      order: 'ascending',
      limit: MOST,
    })
    const records = await Promise.all(
      rows.map(async ({ person_id, joined_at, operator }) => {
        const profile = await people.profile(person_id as PersonId)
        const accounts = await people.accountsOf(person_id as PersonId)
        const roles = accounts.map(({ accountId, role }) => ({ account_id: accountId, role }))
        const { name = null, email = null } = profile ?? {}
        return { person_id, name, email, joined_at, operator, accounts: roles }
      }),
    )
    if (json) return outJson(io, { people: records })
    if (records.length === 0) return io.err('There are no people yet. Use gleaner people setup-link.\n')
    const head = ['person', 'name', 'e-mail', 'joined', 'roles']
    const lines = records.map(({ person_id, name, email, joined_at, operator, accounts }) => [
      person_id,
      name ?? '-',
      email ?? '-',
      joined_at,
      [...(operator ? ['operator'] : []), ...accounts.map(({ role }) => role)].join(', '),
    ])
    io.out(columns([head, ...lines]))
  })

const remove = (io: Io, person: string) =>
  withPeople(io, async (room) => {
    const personId = await personOf(room, person)
    const refused = await refusalOf(room.members.erase(personId, causeOf(io, 'people remove')))
    if (refused?.code === 'last-owner')
      throw new CommandFailed(
        `${person} is the last owner of ${refused.refusal.accountId}. Make somebody else an owner, or suspend the account first.`,
      )
    if (refused) throw refused
    io.out(`${personId} was removed\n`)
  })

/** @throws {CommandFailed} */
async function personOf({ people }: Room, text: string): Promise<PersonId> {
  const personId = parsePersonId(text) ?? (await people.idOf(text))
  if (personId && (await people.person(personId))) return personId
  throw new CommandFailed(`Unknown person ${text}.`)
}

/** Opens the people with read models that include all earlier writes, whether or not a server runs. */
export function withPeople<T>(io: Io, use: (room: Room) => Promise<T>): Promise<T> {
  return withKeys(io, async (keys, opened, waitUntilProjected) => {
    const { config, stores, accounts } = opened
    const { publicUrl } = config
    const room = openPeople({ ...stores, accounts, keys, waitUntilProjected, publicUrl, now: io.now })
    return use({ ...opened, ...room })
  })
}

function parseAddress(text: string): string {
  const issue = emailIssue(text)
  if (issue === undefined) return text
  throw new InvalidArgumentError(issue)
}
