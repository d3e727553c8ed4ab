/** Every file call of the public SDK, as its users write it. Prints what came back. */
const [, , sdk, baseUrl, token, folder, archive] = process.argv
const { SandboxAgent } = await import(sdk)
const { readFileSync } = await import("node:fs")
const client = await SandboxAgent.connect({ baseUrl, token })
const said = {}
said.mkdir = await client.mkdirFs({ path: `${folder}/a/b` })
said.write = await client.writeFsFile({ path: `${folder}/a/b/file.bin` }, new Uint8Array([0, 255, 10, 13]))
said.writeText = await client.writeFsFile({ path: `${folder}/new/parents/text` }, "text")
said.read = [...(await client.readFsFile({ path: `${folder}/a/b/file.bin` }))]
said.stat = await client.statFs({ path: `${folder}/a/b/file.bin` })
said.move = await client.moveFs({ from: `${folder}/a/b/file.bin`, to: `${folder}/a/moved.bin` })
said.moveTaken = await client
  .moveFs({ from: `${folder}/a/moved.bin`, to: `${folder}/new/parents/text` })
  .catch((error) => ({ status: error.status, type: error.problem?.type }))
said.moveOver = await client.moveFs({
  from: `${folder}/a/moved.bin`,
  to: `${folder}/new/parents/text`,
  overwrite: true,
})
said.entries = await client.listFsEntries({ path: folder })
said.entriesAnywhere = Array.isArray(await client.listFsEntries())
if (archive !== undefined)
  said.upload = await client.uploadFsBatch(readFileSync(archive), { path: `${folder}/unpacked` })
said.deleteFull = await client.deleteFsEntry({ path: `${folder}/new` }).catch((error) => ({ status: error.status }))
said.delete = await client.deleteFsEntry({ path: `${folder}/new`, recursive: true })
said.missing = await client.readFsFile({ path: `${folder}/new` }).catch((error) => ({ status: error.status }))
await client.dispose()
process.stdout.write(JSON.stringify(said))
process.exit(0)
