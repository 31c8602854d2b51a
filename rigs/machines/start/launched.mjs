/** The program in the launcher's tests: prints each signal, and exits with code 7 after the given milliseconds. */
let signals = 0
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  process.on(signal, () => {
    signals++
    console.log(`got ${signal} ${signals}`)
    if (signals === 1) setTimeout(() => process.exit(7), Number(process.argv[2]))
  })
}
setInterval(() => {}, 1000)
console.log(`up ${process.pid}`)
