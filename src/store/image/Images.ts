/** The rows of images, with their files. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema, Struct } from "effect"
import { type ImageId, WorkspaceId } from "../../../schema/Ids.ts"
import { Image, ImageType } from "../../../schema/image/Image.ts"
import { findAll, findOne } from "../postgres/Queries.ts"

const Row = Schema.Struct({ ...Struct.omit(Image.fields, "url"), createdAt: Schema.DateTimeUtcFromDate })
export type ImageRow = typeof Row.Type

const columns = `id, type, width, height, octet_length(data) as bytes, made_by as by, created_at as "createdAt"`

const File = Schema.Struct({
  workspaceId: WorkspaceId,
  type: ImageType,
  width: Schema.Int,
  height: Schema.Int,
  data: Schema.Uint8ArrayFromSelf
})
export type ImageFile = typeof File.Type

export interface ImageFilter {
  readonly before: ImageId | null
  readonly limit: number
}

export class Images extends Effect.Service<Images>()("belltower/Images", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const list = findAll(Row, (workspaceId: WorkspaceId, { before, limit }: ImageFilter) =>
      sql`
      select ${sql.literal(columns)} from images
      where workspace_id = ${workspaceId}${before === null ? sql`` : sql` and id < ${before}`}
      order by id desc limit ${limit}`)

    // The id alone gives access to the image, so it is the only condition.
    const file = findOne(
      File,
      (id: string) => sql`select workspace_id as "workspaceId", type, width, height, data from images where id = ${id}`
    )

    const deleted = findOne(
      Schema.Struct({ id: Schema.String }),
      (workspaceId: WorkspaceId, id: ImageId) =>
        sql`delete from images where workspace_id = ${workspaceId} and id = ${id} returning id`
    )

    return {
      /** Newest first. */
      list,
      /** The file of an image of any workspace. */
      file,
      insert: Effect.fn("Images.insert")(
        function*(workspaceId: WorkspaceId, { by, createdAt, height, id, type, width }: Omit<ImageRow, "bytes">, data: Buffer) {
          yield* sql`
            insert into images (id, workspace_id, type, width, height, data, made_by, created_at)
            values (${id}, ${workspaceId}, ${type}, ${width}, ${height}, ${data}, ${by}, ${DateTime.toDateUtc(createdAt)})`
        },
        Effect.orDie
      ),
      /** False if the workspace has no such image. */
      remove: (workspaceId: WorkspaceId, id: ImageId) => Effect.map(deleted(workspaceId, id), Option.isSome)
    }
  })
}) {}
