/** Creates a folder and its parents, and always terminates. */
import { mkdir, stat } from "node:fs/promises"
import { dirname } from "node:path"

const codeOf = (error: unknown): unknown => error instanceof Error && "code" in error ? error.code : undefined

/**
 * Like `mkdir` with `recursive`. In Node 20 to 24, that never returns on a file system that answers ENOENT instead of creating a
 * folder, such as `/proc`. Rejects with the error of the first step that failed.
 */
export const makeFolder = async (path: string): Promise<void> => {
  const exists = async (error: unknown): Promise<boolean> => codeOf(error) === "EEXIST" && (await stat(path)).isDirectory()
  const reject = async (error: unknown): Promise<void> => (await exists(error)) ? undefined : Promise.reject(error)
  await mkdir(path).catch(async (error) => {
    const parent = dirname(path)
    if (codeOf(error) !== "ENOENT" || parent === path) return reject(error)
    await makeFolder(parent)
    await mkdir(path).catch(reject)
  })
}
