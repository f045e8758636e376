/** Mails of jobs, sent to the listener by a mail client. */
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createTransport } from "nodemailer"
import { listenForMails } from "../../../src/http/monitor/PingMails.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { TakeMails } from "../../../src/operations/monitor/TakeMails.ts"
import { TakePings } from "../../../src/operations/monitor/TakePings.ts"
import { JobRuns } from "../../../src/store/monitor/JobRuns.ts"
import { newHeartbeat } from "../../support/program/PingServer.ts"
import { TestRunner } from "../../support/program/TestRunner.ts"

const services = TakeMails.Default.pipe(Layer.provideMerge(TakePings.Default), Layer.provideMerge(TestRunner))

const words = { mailStart: "begun", mailSuccess: "completed", mailFailure: "error, failed" }

interface Sent {
  readonly subject?: string
  readonly text?: string
  readonly html?: string
}

/** Sends mails to a heartbeat; the reply code of each, 250 for those that are taken. */
const mailbox = Effect.gen(function*() {
  const port = yield* listenForMails({ host: "127.0.0.1", port: 0 })
  const transport = createTransport({ host: "127.0.0.1", port, ignoreTLS: true })
  return (to: string, mail: Sent) =>
    Effect.promise(() =>
      transport.sendMail({ from: "cron@host.test", to, ...mail }).then(
        () => 250,
        (error: { readonly responseCode?: number }) => error.responseCode ?? 0
      )
    )
})

layer(services, { excludeTestServices: true })((it) => {
  it.scoped("a mail to the token of a heartbeat is a success, and is kept", () =>
    Effect.gen(function*() {
      const send = yield* mailbox
      const { checks, id, token, workspaceId } = yield* newHeartbeat
      const runs = yield* JobRuns
      expect(yield* send(`${token}@jobs.test`, { subject: "Cron <root@db>", text: "größer als gestern" })).toBe(250)
      expect(yield* checks).toEqual([["up", null, null]])
      const [run] = yield* runs.page(workspaceId, id, { state: null, search: "GESTERN", before: null, limit: 9 })
      expect(run).toMatchObject({ state: "up" })
      const [log] = run === undefined ? [] : yield* runs.logs(workspaceId, id, run.id)
      expect(log?.text).toMatch(/^Cron <root@db>\n\ngrößer als gestern/)
    }))

  it.scoped("words of the subject or the text decide, a failure first", () =>
    Effect.gen(function*() {
      const send = yield* mailbox
      const manage = yield* ManageMonitors
      const { checks, id, token, workspaceId } = yield* newHeartbeat
      yield* manage.update(workspaceId, id, words)
      const to = `${token}@jobs.test`
      yield* send(to, { subject: "Backup has BEGUN" })
      yield* send(to, { subject: "Backup", text: "step 1 completed\nstep 2 failed" })
      yield* send(to, { subject: "A newsletter", html: "<p>Buy now</p>" })
      yield* send(to, { subject: "Backup", html: "<p>All is <b>completed</b></p>" })
      expect(yield* checks).toEqual([["up", null, null], ["down", "Backup", expect.any(Number)]])
      const runs = yield* JobRuns
      const found = yield* runs.page(workspaceId, id, { state: null, search: null, before: null, limit: 9 })
      expect(found.map(({ state }) => state)).toEqual(["up", "logged", "down"])
    }))

  it.scoped("an unknown recipient is refused, and a large mail is read to its bound", () =>
    Effect.gen(function*() {
      const send = yield* mailbox
      const { checks, token } = yield* newHeartbeat
      for (const to of [`${"x".repeat(24)}@jobs.test`, "root@jobs.test"]) expect(yield* send(to, { subject: "x" })).toBe(550)
      expect(yield* send(`${token}@jobs.test`, { subject: "x", text: "a line of output\n".repeat(60_000) })).toBe(250)
      expect(yield* checks).toEqual([["up", null, null]])
    }))
})
