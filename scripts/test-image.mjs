/**
 * `npm run test:image`: builds the container image without a public registry, from Debian's packages and this machine's
 * Node, and tests it. Needs Linux, root, Docker or Podman, and debootstrap; without them it prints the reason and does
 * nothing. BASE_IMAGE and NODE_IMAGE name other base images. The images are kept, so the next run is faster.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { ensureDependencies, main, ROOT, SetupError, say } from './setup.mjs'

const IMAGE = 'gleaner-test'
const ENV = { ...process.env }

await main(() => {
  const engine = ['docker', 'podman'].find((name) => succeeds(name, 'info'))
  if (!engine) return skipped('no container engine runs: neither "docker info" nor "podman info" succeeds')
  // Without the buildx plugin the client has only the classic builder.
  if (engine === 'docker' && !succeeds('docker', 'buildx', 'version')) ENV.DOCKER_BUILDKIT = '0'
  const { BASE_IMAGE = `${IMAGE}-base`, NODE_IMAGE = `${IMAGE}-node` } = process.env
  if (!process.env.BASE_IMAGE && !has(engine, BASE_IMAGE)) {
    const isRoot = process.getuid?.() === 0
    if (!isRoot || !succeeds('debootstrap', '--version'))
      return skipped('without root and debootstrap, BASE_IMAGE must name a Debian image')
    makeBase(engine, BASE_IMAGE)
  }
  if (!process.env.NODE_IMAGE && !has(engine, NODE_IMAGE)) makeNode(engine, BASE_IMAGE, NODE_IMAGE)
  const args = Object.entries({ BASE_IMAGE, NODE_IMAGE }).map(
    ([name, image]) => `--build-arg=${name}=${image}`,
  )
  say('building the image')
  must(engine, 'build', ...args, '-t', IMAGE, ROOT)
  const bun = ensureDependencies({ dev: true })
  const env = { ...process.env, GLEANER_IMAGE: IMAGE, CONTAINER_ENGINE: engine }
  const tests = ['test', '--timeout=180000', './rigs/machines/image']
  return spawnSync(bun, tests, { cwd: ROOT, stdio: 'inherit', env }).status ?? 1
})

function skipped(reason) {
  say(`the image is not tested: ${reason}`)
  return 0
}

/** Creates a base image with a minimal Debian. */
function makeBase(engine, image) {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-base-'))
  try {
    say('making a Debian system to build on (once)')
    must('debootstrap', '--variant=minbase', 'bookworm', folder)
    const command = `tar -C "$1" -c . | ${engine} import - "$2"`
    must('sh', '-c', command, 'sh', folder, image)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Adds this machine's Node and npm to the base image, with the certificate authorities that they trust. */
function makeNode(engine, base, image) {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-node-'))
  try {
    cpSync(process.execPath, join(folder, 'node'))
    cpSync(npmFolder(), join(folder, 'npm'), { recursive: true, dereference: true })
    const authorities = process.env.NODE_EXTRA_CA_CERTS
    writeFileSync(join(folder, 'ca.crt'), authorities ? readFileSync(authorities) : '')
    writeFileSync(
      join(folder, 'Dockerfile'),
      `FROM ${base}
RUN apt-get update && apt-get install -y --no-install-recommends libstdc++6
COPY node /usr/bin/node
COPY npm /usr/lib/node_modules/npm
COPY ca.crt /etc/ca.crt
${authorities ? 'ENV NODE_EXTRA_CA_CERTS=/etc/ca.crt' : ''}
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/bin/npm
`,
    )
    must(engine, 'build', '-t', image, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function npmFolder() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const npm = folders.map((folder) => join(folder, 'npm')).find((path) => existsSync(path))
  if (!npm) throw new SetupError('npm is not on the PATH')
  return dirname(dirname(realpathSync(npm)))
}

function has(engine, image) {
  return succeeds(engine, 'image', 'inspect', image)
}

function succeeds(program, ...args) {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

function must(program, ...args) {
  const { status } = spawnSync(program, args, { stdio: ['ignore', 2, 2], env: ENV })
  if (status !== 0) throw new SetupError(`"${program} ${args[0]}" failed; see its output above`)
}
