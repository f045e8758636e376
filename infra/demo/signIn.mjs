// Signs a script in as a person: by a one-time link, as a browser does.
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const belltower = join(dirname(fileURLToPath(import.meta.url)), "../../dist/belltower.js")

/** A new one-time sign-in link of a user, by id or email address, for the server with these settings. */
export const printedLink = (env, who) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [belltower, "sign-in-link", who], { env, stdio: ["ignore", "pipe", "inherit"] })
    let said = ""
    child.stdout.on("data", (chunk) => (said += chunk))
    child.once("exit", (code) => (code === 0 ? resolve(said.trim()) : reject(new Error(`sign-in-link ended with ${code}`))))
  })

/** Opens a link and submits its form. Resolves to the session's cookie. */
export const signIn = async (link) => {
  const { origin, pathname } = new URL(link)
  const page = await (await fetch(link)).text()
  const hidden = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map((
    [, name, value]
  ) => [name, value])
  const answer = await fetch(link, {
    method: "POST",
    redirect: "manual",
    headers: { origin, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(hidden)
  })
  const cookie = answer.headers.getSetCookie().map((one) => one.split(";")[0]).join("; ")
  if (cookie === "") throw new Error(`The link ${pathname} did not sign in: ${answer.status}`)
  return cookie
}

/** Calls the interface as the person; answers with a status in `accepted` are no errors. */
export const makeCall = (baseUrl, cookie) => async (method, path, body, accepted = []) => {
  const response = await fetch(`${baseUrl}/api/v1${path}`, {
    method,
    headers: { cookie, origin: baseUrl, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const answer = await response.json()
  if (response.ok || accepted.includes(response.status)) return answer
  throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`)
}
