/** A source whose runs yield what the site saw of them, and fail with words of their own if they are told to. */
import { type Context, defineSource, defineTask, SourceChanged, Type } from 'gleaner/plugin'

const ROUNDS = 3
const pace = { perSecond: 10_000, concurrent: 1000 }

async function* ask(
  { fetch, log, cookie }: Context,
  { word, fails }: { readonly word: string; readonly fails: boolean },
) {
  await fetch(`/enter?word=${word}`)
  for (let round = 0; round < ROUNDS; round++) {
    // The site answers once the runs of all accounts have asked.
    const reply = await fetch(`/page?word=${word}&round=${round}`)
    const headers = (await reply.json()) as { readonly cookie: string; readonly condition: string }
    log(`line of ${word}`, { word })
    yield { word, own: cookie('word') ?? '', ...headers }
  }
  if (fails) throw new SourceChanged(`no list for ${word}`)
  return {}
}

export default defineSource({
  name: 'echo',
  title: 'Echo',
  origin: 'https://www.echo.example',
  pace: { ...pace, replaced: pace },
  tasks: [
    defineTask({
      key: 'echo.ask',
      path: '/v1/echo/ask',
      title: 'Ask',
      description: 'What the site saw.',
      price: 1,
      input: Type.Object({
        word: Type.Optional(Type.String({ default: 'x' })),
        fails: Type.Optional(Type.Boolean({ default: false })),
      }),
      item: Type.Object({
        ...{ word: Type.String(), own: Type.String() },
        ...{ cookie: Type.String(), condition: Type.String() },
      }),
      example: {},
      run: ask as never,
    }),
  ],
})
