/** The task of an isolation's trial, and what it finds missing. */
import { Schema } from "effect"

export const Trial = Schema.Struct({
  /** Files and folders of ours that no helper may read. */
  paths: Schema.Array(Schema.String),
  /** A port of ours on 127.0.0.1. */
  port: Schema.Int,
  /** Our user id. */
  uid: Schema.Int,
  needsLoopback: Schema.Boolean
})
export type Trial = typeof Trial.Type

/** Things that a helper shares with us and should have for itself; `rights`: it can become root. */
export const Lack = Schema.Literal("user", "processes", "files", "network", "rights")
export type Lack = typeof Lack.Type
