import { expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { programVersion } from "../../schema/ProgramVersion.ts"

it("the program says the version of its package", () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
  expect(programVersion).toBe(version)
})
