/** Pieces of scripts that the editor offers. `#{...}` is a place that the writer fills in. */
import type { Snippet } from "../../../design/CodeArea.tsx"

const common: ReadonlyArray<Snippet> = [
  ["Step", "await step(\"#{name}\", async () => {\n  #{}\n})\n"],
  ["Equal", "assert.equal(#{actual}, #{\"expected\"}, \"#{what is wrong}\")\n"],
  ["Wait", "await sleep(#{1000})\n"]
]

export const scriptSnippets: ReadonlyArray<Snippet> = [
  [
    "Request and status",
    "const answer = await http.get(\"#{https://example.com/health}\")\nassert.equal(answer.status, 200, \"status \" + answer.status)\n"
  ],
  [
    "Fields of JSON",
    "const answer = await http.get(\"#{https://example.com/api}\")\nconst body = answer.json()\nassert(body.#{items}.length > 0, \"the list is empty\")\n"
  ],
  [
    "Sign in, then call",
    "const token = await step(\"Sign in\", async () => {\n" +
    "  const answer = await http.post(\"#{https://example.com/login}\", { json: { user: env.USER, password: env.PASSWORD } })\n" +
    "  assert(answer.ok, \"sign-in answered \" + answer.status)\n" +
    "  return answer.json().token\n" +
    "})\n" +
    "await step(\"Call\", async () => {\n" +
    "  const answer = await http.get(\"#{https://example.com/me}\", { headers: { authorization: \"Bearer \" + token } })\n" +
    "  assert.equal(answer.status, 200)\n" +
    "})\n"
  ],
  ...common
]

export const browserSnippets: ReadonlyArray<Snippet> = [
  ["Open a page", "await page.goto(\"#{https://example.com}\")\n"],
  [
    "Sign in",
    "await step(\"Sign in\", async () => {\n" +
    "  await page.fill(\"#{input[name=email]}\", \"#{someone@example.com}\")\n" +
    "  await page.fill(\"#{input[name=password]}\", \"#{password}\")\n" +
    "  await page.click(\"#{text=Sign in}\")\n" +
    "  await page.waitFor(\"#{text=Welcome}\")\n" +
    "})\n"
  ],
  ["Text on the page", "assert.includes(await page.text(\"#{h1}\"), \"#{Welcome}\")\n"],
  ["Screenshot", "await page.screenshot(\"#{name}\")\n"],
  ...common
]
