// Runs the story on Node, Bun or Deno, and prints its result as JSON.
import * as client from 'gleaner-client'
import { story } from './story.mjs'

const [, , options] = process.argv
console.log(JSON.stringify(await story(client, JSON.parse(options))))
