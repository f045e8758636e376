// Looks into a running program over its inspector, which it opens when it gets SIGUSR1: a CPU profile, and what stays in its heap.
import { sleep, until } from "./processes.mjs"

/** How often the profiler looks, in microseconds: seldom enough that it takes little itself. */
const everyMicros = 1000

/** A line to the inspector of a process that was started with `--inspect-port`. */
const connect = async (pid, port) => {
  process.kill(pid, "SIGUSR1")
  const [{ webSocketDebuggerUrl }] = await until(
    () => fetch(`http://127.0.0.1:${port}/json/list`).then((response) => response.json(), () => []),
    (found) => found.length > 0,
    10_000
  )
  const socket = new WebSocket(webSocketDebuggerUrl)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  const answers = new Map()
  let calls = 0
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(data)
    answers.get(id)?.(result)
    answers.delete(id)
  }
  const call = (method, params = {}) =>
    new Promise((resolve) => {
      answers.set(++calls, resolve)
      socket.send(JSON.stringify({ id: calls, method, params }))
    })
  return { call, close: () => socket.close() }
}

/** The CPU profile of a process over `ms`. */
export const cpuProfile = async (pid, port, ms) => {
  const inspector = await connect(pid, port)
  await inspector.call("Profiler.enable")
  await inspector.call("Profiler.setSamplingInterval", { interval: everyMicros })
  await inspector.call("Profiler.start")
  await sleep(ms)
  const { profile } = await inspector.call("Profiler.stop")
  inspector.close()
  return profile
}

/** MB that stay after a collection of the whole heap: in the heap, and in buffers outside it. */
export const keptMb = async (pid, port) => {
  const inspector = await connect(pid, port)
  await inspector.call("HeapProfiler.collectGarbage")
  const { result } = await inspector.call("Runtime.evaluate", {
    expression: "process.memoryUsage()",
    returnByValue: true
  })
  inspector.close()
  return { heap: result.value.heapUsed / 1e6, buffers: result.value.arrayBuffers / 1e6 }
}
