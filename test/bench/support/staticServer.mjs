// A static file server as small as one can be: looks at the file, answers a matching validator with 304, else streams it from disk.
// Usage: node staticServer.mjs <file>; prints its port.
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { createServer } from "node:http"
import { pipeline } from "node:stream"

const [file] = process.argv.slice(2)

const server = createServer((request, response) => {
  stat(file).then(({ mtimeMs, size }) => {
    const etag = `W/"${size.toString(16)}-${Math.floor(mtimeMs).toString(16)}"`
    const headers = { etag, "cache-control": "public, max-age=30", "content-type": "text/html; charset=utf-8" }
    if (request.headers["if-none-match"] === etag) return response.writeHead(304, headers).end()
    response.writeHead(200, { ...headers, "content-encoding": "gzip", "content-length": size })
    pipeline(createReadStream(file), response, () => undefined)
  }, () => response.writeHead(404).end())
})
server.listen(0, "127.0.0.1", () => console.log(server.address().port))
