/** The examples of the guide accept what we sign and refuse what we do not. Each runs in its own language; a missing one is skipped. */
import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type WebhookVerifier, webhookVerifiers } from "../../src/docs/WebhookVerifiers.ts"
import { signedHeaders } from "../../src/domain/alert/Signature.ts"

type Language = WebhookVerifier["language"]

interface Runner {
  readonly tool: string
  readonly version: ReadonlyArray<string>
  /** The files around the example; they read the request as JSON from stdin and print whether it is accepted. */
  readonly files: (code: string) => Readonly<Record<string, string>>
  readonly build: ReadonlyArray<string> | null
  readonly run: ReadonlyArray<string>
}

const runners: Readonly<Record<Language, Runner>> = {
  "Node.js": {
    tool: process.execPath,
    version: ["--version"],
    files: (code) => ({
      "verify.mjs": code,
      "main.mjs": `import { readFileSync } from "node:fs"
import { verify } from "./verify.mjs"
const { body, headers, secret } = JSON.parse(readFileSync(0, "utf8"))
console.log(verify(secret, headers, body))`
    }),
    build: null,
    run: ["main.mjs"]
  },
  Python: {
    tool: "python3",
    version: ["--version"],
    files: (code) => ({
      "verify.py": code,
      "main.py": `import json, sys
from verify import verify
given = json.loads(sys.stdin.buffer.read())
print("true" if verify(given["secret"], given["headers"], given["body"].encode()) else "false")`
    }),
    build: null,
    run: ["main.py"]
  },
  Go: {
    tool: "go",
    version: ["version"],
    files: (code) => ({
      "go.mod": "module example\n\ngo 1.19\n",
      "verify.go": code,
      "main.go": `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

func main() {
	var given struct {
		Secret, Body string
		Headers      map[string]string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	headers := http.Header{}
	for name, value := range given.Headers {
		headers.Set(name, value)
	}
	fmt.Println(verify(given.Secret, headers, []byte(given.Body)))
}`
    }),
    build: ["build", "-o", "example", "."],
    run: ["example"]
  },
  Java: {
    tool: "java",
    version: ["-version"],
    files: (code) => ({
      "Main.java": `${
        code.replace("final class Webhooks", "final class Main")
          .replace(/\}\s*$/, "")
      }
  public static void main(String[] given) throws Exception {
    System.out.println(verify(given[0], Map.of("webhook-id", given[1], "webhook-timestamp", given[2], "webhook-signature", given[3]),
        System.in.readAllBytes()));
  }
}`
    }),
    build: null,
    run: ["Main.java"]
  }
}

/** The output of a program for an input. Asynchronous: a compiler on a busy machine must not hold up the test runner. */
const output = (command: string, given: ReadonlyArray<string>, cwd: string, input: string) =>
  new Promise<string>((resolve, reject) => {
    const env = { ...process.env, GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local" }
    const child = execFile(
      command,
      [...given],
      { cwd, env },
      (error, printed) => (error === null ? resolve(printed) : reject(error))
    )
    child.stdin?.end(input)
  })

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const body = JSON.stringify({ id: "evt_1", type: "test.ping", data: { message: "Prüfung ✓" } })

type Headers = Readonly<Record<string, string>>

describe.each(webhookVerifiers)("the example in $language", ({ code, language }) => {
  const { build, files, run, tool, version } = runners[language]
  const isHere = spawnSync(tool, [...version]).status === 0
  if (!isHere) console.warn(`WARNING: ${language} is not installed; its webhook example was not run`)
  let folder = ""

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "belltower-verify-"))
    for (const [name, text] of Object.entries(files(code))) writeFileSync(join(folder, name), text)
    if (isHere && build !== null) await output(tool, build, folder, "")
  }, 120_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const accepts = async (headers: Headers, sent: string, key = secret): Promise<boolean> => {
    const [first = ""] = run
    const [command, given] = language === "Go" ? [join(folder, first), []] : [tool, run]
    const asArguments = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => headers[name] ?? "")
    const printed = language === "Java"
      ? await output(command, [...given, key, ...asArguments], folder, sent)
      : await output(command, given, folder, JSON.stringify({ secret: key, headers, body: sent }))
    return printed.trim() === "true"
  }

  it.skipIf(!isHere)(
    "accepts what we sign, also beside other entries, and refuses everything else",
    { timeout: 120_000 },
    async () => {
      const now = Date.now()
      const fresh = signedHeaders([{ secret, until: null }], { id: "evt_1", body }, now)
      const stale = signedHeaders([{ secret, until: null }], { id: "evt_1", body }, now - 600_000)
      const both = { ...fresh, "webhook-signature": `v1,AAAA ${fresh["webhook-signature"]}` }
      const found = {
        signed: await accepts(fresh, body),
        rotated: await accepts(both, body),
        changed: await accepts(fresh, `${body} `),
        otherSecret: await accepts(fresh, body, "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
        otherId: await accepts({ ...fresh, "webhook-id": "evt_2" }, body),
        stale: await accepts(stale, body)
      }
      expect(found).toEqual({ signed: true, rotated: true, changed: false, otherSecret: false, otherId: false, stale: false })
    }
  )
})
