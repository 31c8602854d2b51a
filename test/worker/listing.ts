/**
 * Sources with one task, which takes no input: for tests in which it only matters when runs end.
 *
 * @module
 */
import { defineSource, defineTask, Type } from 'gleaner/plugin'

/** A source with the task `<name>.list`. @param end resolves when its runs end, each with one item; default: at once */
export const listing = (name: string, end: () => Promise<unknown> = async () => {}) =>
  defineSource({
    name,
    title: name,
    origin: `https://${name}.example`,
    tasks: [
      defineTask({
        key: `${name}.list`,
        path: `/v1/${name}/list`,
        title: 'List',
        description: 'One item.',
        price: 1,
        input: Type.Object({}),
        item: Type.Object({ n: Type.Integer() }),
        example: {},
        async *run() {
          await end()
          yield { n: 1 }
          return {}
        },
      }),
    ],
  })

/** For runs that hang. */
export const never = () => new Promise<never>(() => {})
