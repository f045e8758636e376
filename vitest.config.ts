import { defineConfig } from "vitest/config"
import { compiledSources } from "./test/support/run/CompiledSources.ts"
import { FileOrder } from "./test/support/run/FileOrder.ts"

const decisions = ["test/domain/**/*.test.ts", "test/schema/**/*.test.ts"]

export default defineConfig({
  plugins: [compiledSources(import.meta.dirname)],
  test: {
    projects: [
      { extends: true, test: { name: "decisions", include: decisions } },
      {
        extends: true,
        test: {
          name: "services",
          include: ["test/**/*.test.ts"],
          exclude: decisions,
          globalSetup: ["test/support/run/globalSetup.ts"]
        }
      }
    ],
    setupFiles: ["test/support/run/freshMethods.ts", "test/support/run/untraced.ts"],
    server: { deps: { external: [/\/dist\/modules\//] } },
    // Ends a test that hangs. Far above what any test takes, because a busy machine is no failure.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // What a passing test logs would hide the reason of one that fails.
    silent: "passed-only",
    // On two cores: of the time that files take, three quarters are waits, and eight long files wait for a third of it. With four,
    // both cores are busy until the last minutes.
    // As few as many, because an idle one that ends early fails the run.
    maxWorkers: 4,
    minWorkers: 4,
    pool: "forks",
    sequence: { sequencer: FileOrder },
    // A broker that lives for a minute compiles little: its start takes a third less CPU.
    env: { JAVA_TOOL_OPTIONS: "-XX:TieredStopAtLevel=1" },
    // These processes run all files: for each process, Node loads 1,300 modules and compiles what is hot again. A young generation that
    // is large from the beginning is collected less often, with less to copy.
    poolOptions: { forks: { isolate: false, execArgv: ["--min-semi-space-size=16", "--max-semi-space-size=32"] } }
  }
})
