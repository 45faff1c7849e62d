// Drives an engine as Sabaki does, with its own library: node gtp_sabaki.js FOLDER_OF_NODE_MODULES COMMAND ARGUMENTS…
// Prints one line of JSON: what was seen.
const path = require('path')
const {Controller, ControllerStateTracker} = require(path.join(process.argv[2], '@sabaki', 'gtp'))

const controller = new Controller(process.argv[3], process.argv.slice(4))
const tracker = new ControllerStateTracker(controller)
const play = (color, vertex) => ({name: 'play', args: [color, vertex]})
const send = async (name, ...args) => (await controller.sendCommand({name, args})).content

// Analyses until so many reports have come, then sends a command, as Sabaki ends an analysis.
async function analyze(name, reports) {
  const lines = []
  const enough = new Promise(resolve =>
    controller
      .sendCommand({name, args: ['B', '5']}, ({line}) => {
        if (line.startsWith('info ')) lines.push(line)
        if (lines.length === reports) send('protocol_version')
      })
      .then(resolve)
  )
  const response = await enough
  return {error: response.error, lines: lines.slice(0, reports)}
}

async function game() {
  await tracker.sync({komi: 0.5, boardsize: [5, 5], history: []})
  const moves = []
  for (let passes = 0; passes < 2 && moves.length < 200; ) {
    const move = await send('genmove', moves.length % 2 ? 'W' : 'B')
    passes = move === 'pass' ? passes + 1 : 0
    moves.push(move)
  }
  return {moves, tracked: tracker.state.history.map(({args}) => args[1]), score: await send('final_score')}
}

async function main() {
  controller.start()
  const seen = {name: await send('name'), commands: (await send('list_commands')).split('\n')}
  const stones = [{name: 'set_free_handicap', args: ['C3', 'G7']}, play('W', 'E5'), play('B', 'C7'), play('B', 'G3')]
  await tracker.sync({komi: 7.5, boardsize: [9, 9], history: stones})
  seen.board = await send('showboard')
  await tracker.sync({komi: 6.5, history: [...stones.slice(0, 3), play('W', 'D4')]})
  seen.changed = await send('showboard')
  seen.analyses = {}
  for (const name of ['analyze', 'lz-analyze', 'kata-analyze']) seen.analyses[name] = await analyze(name, 2)
  const watched = []
  await controller.sendCommand({name: 'genmove_analyze', args: ['B', '5']}, ({line}) => watched.push(line))
  seen.watched = watched
  seen.game = await game()
  await controller.stop()
  console.log(JSON.stringify(seen))
}

main().catch(error => {
  console.error(error)
  controller.kill()
  process.exitCode = 1
})
