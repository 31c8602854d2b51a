/**
 * A source with good runs and one that does harm while they wait for the site, all in one process.
 *
 * @module
 */
import { type Context, defineSource, defineTask, type Price, Type } from 'gleaner/plugin'
import { HARM, type Orders } from './harm.ts'

const item = Type.Object({ said: Type.String() })
type Item = { readonly said: string }
type Run<I> = (context: Context, input: I) => AsyncGenerator<Item, unknown, void>

/** 1 credit at the kickoff, and 5 for the block that a good run charges. */
const price: Price<object> = {
  from: 1,
  words: 'and 5 for each block',
  of: () => 1,
  block: 5,
  spent: ({ total }) => Number(total),
}

const task = <I>(name: string, input: ReturnType<typeof Type.Object>, run: Run<I>, run_s?: number) =>
  defineTask({
    ...{
      key: `chaos.${name}`,
      path: `/v1/chaos/${name}`,
      title: name,
      description: name,
      price,
      input,
      item,
    },
    extra: { total: Type.Union([Type.Integer(), Type.Null()]) },
    example: {},
    needs: { login: 'optional' },
    limits: { memory_mb: 256, ...(run_s !== undefined && { run_s }) },
    run: run as never,
  })

/** Has a charge, a file, a cookie and an item behind it while it waits for the site. */
async function* good(
  { fetch, charge, artifact }: Context,
  { name }: { readonly name: string },
): AsyncGenerator<Item, unknown, void> {
  yield { said: `${name} begins` }
  await charge(1)
  const file = await artifact('name.txt', 'text/plain')
  await file.write(new TextEncoder().encode(name))
  await fetch(`/cookie?name=${name}`)
  const held = (await (await fetch(`/good?name=${name}`)).json()) as { readonly word: string }
  await file.close()
  const after = (await (await fetch(`/after?name=${name}`)).json()) as { readonly word: string }
  yield { said: `${name}: ${held.word}, ${after.word}` }
  return { next_cursor: null, total: 6 }
}

async function* bad(
  context: Context,
  { how }: { readonly how: keyof typeof HARM },
): AsyncGenerator<Item, unknown, void> {
  yield { said: 'bad begins' }
  await context.fetch('/cookie?name=bad')
  const orders = (await (await context.fetch('/bad')).json()) as Orders
  yield { said: await HARM[how](context, orders) }
  return { next_cursor: null, total: 1 }
}

const how = Type.Object({ how: Type.Optional(Type.String({ default: 'ignores' })) })

export default defineSource({
  name: 'chaos',
  title: 'Chaos',
  origin: 'https://www.chaos.example',
  pace: { perSecond: 10_000, concurrent: 1000, replaced: { perSecond: 10_000, concurrent: 1000 } },
  login: { url: '/sign-in', signedIn: { cookies: ['session'] } },
  tasks: [
    task('good', Type.Object({ name: Type.Optional(Type.String({ default: 'x' })) }), good),
    task('bad', how, bad),
    task('short', how, bad, 2),
  ],
})
