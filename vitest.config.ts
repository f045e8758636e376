import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores: more workers than cores only add noise to the flows.
    maxWorkers: 2,
    minWorkers: 1,
    pool: "forks"
  }
})
