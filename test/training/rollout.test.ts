/** Lockstep rollouts: what stands in a transcript, that its log-probabilities are right, and that episodes are alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scorePolicy } from '../../model/score.ts';
import type { LoopContext } from '../../training/context.ts';
import type { EpisodeRequest, PlayedEpisode } from '../../training/episode.ts';
import { playGroup } from '../../training/rollout.ts';
import { warmStart } from '../../training/warm-start.ts';
import { maxDifference } from '../model/small-models.ts';
import { requestsOf } from './requests.ts';
import { tinyConfig, warmFolder, withTinyContext } from './tiny-run.ts';

const config = tinyConfig();

/** With its transcript, which only a failed machine leaves out. */
function shown({ transcript, ...episode }: PlayedEpisode) {
  assert.ok(transcript !== null, episode.failure?.message);
  return { ...transcript, ...episode };
}

async function withPolicy(
  work: (
    context: LoopContext,
    play: (requests: readonly EpisodeRequest[], temperature?: number) => Promise<PlayedEpisode[]>,
  ) => Promise<void>,
): Promise<void> {
  await withTinyContext(config, { folder: await warmFolder() }, async (context) => {
    const { policy } = await warmStart(context);
    const parameters = await context.weights.load(policy);
    await work(context, (requests, temperature = 1) => playGroup(context, requests, parameters, temperature));
  });
}

test('an episode does not depend on who else is in the group, nor on its place there', async () => {
  await withPolicy(async (context, play) => {
    const requests = await requestsOf(context, 40);
    const whole = (await play(requests)).map(shown);
    assert.deepEqual((await play(requests)).map(shown), whole);
    assert.deepEqual((await play(requests.toReversed())).map(shown).toReversed(), whole);
    for (const index of [0, 17, 39]) {
      const [alone] = await play([requests[index] as EpisodeRequest]);
      assert.deepEqual(shown(alone as PlayedEpisode), whole[index], `episode ${index} alone`);
    }
    assert.deepEqual((await play(requests.slice(5, 14))).map(shown), whole.slice(5, 14));
  });
});

test('log-probabilities are those of a full pass over the stored tokens, at the temperature of sampling', async () => {
  await withPolicy(async (context, play) => {
    for (const temperature of [1, 0.6]) {
      const episodes = (await play(await requestsOf(context, 24), temperature)).map(shown);
      const parameters = await context.weights.load((await warmStart(context)).policy);
      const scores = scorePolicy(parameters, context.model, episodes, temperature, context.tokenizer.vocabSize);
      for (const [i, { logProbs, actionMask }] of episodes.entries()) {
        const sampled = logProbs.filter((_, t) => actionMask[t] === 1);
        const difference = maxDifference(sampled, scores[i]?.logProbs ?? []);
        assert.ok(difference < 1e-4, `episode ${i} at temperature ${temperature}: ${difference}`);
      }
    }
  });
});

test('a transcript is prompt, then turns: action tokens sampled, observations forced, nothing after the end', async () => {
  await withPolicy(async (context, play) => {
    const { endOfTurn, turn: nextTurn } = context.tokenizer.special;
    const requests = await requestsOf(context, 48);
    const episodes = await play(requests);
    const ends = new Set(episodes.map(({ endedBy }) => endedBy));
    assert.ok(ends.has('done') && ends.has('turn-limit'), [...ends].join(', '));
    for (const [i, episode] of episodes.entries()) {
      const { tokenIds, actionMask, turnIds, logProbs, promptLength, turns, endedBy } = shown(episode);
      const request = requests[i] as EpisodeRequest;
      assert.deepEqual(tokenIds.slice(0, promptLength), request.promptIds);
      assert.equal(new Set([tokenIds, actionMask, turnIds, logProbs].map(({ length }) => length)).size, 1);
      for (const [t, mask] of actionMask.entries()) {
        assert.equal(mask === 1, (turnIds[t] as number) > 0);
        if (t < promptLength || mask === 0) assert.deepEqual([mask, turnIds[t], logProbs[t]], [0, -1, 0]);
        else assert.ok((logProbs[t] as number) <= 0 && Number.isFinite(logProbs[t]));
      }
      // Turn numbers rise by one, each turn's tokens are its command, and observations stand between them.
      assert.equal(Math.max(...turnIds), turns.length);
      let rebuilt = request.promptIds.length;
      for (const [k, { command, observation }] of turns.entries()) {
        const from = rebuilt;
        while (turnIds[rebuilt] === k + 1) rebuilt += 1;
        const answer = tokenIds.slice(from, rebuilt);
        assert.ok(answer.length > 0 && answer.length <= config.tasks.tokensPerTurn);
        if (answer.at(-1) !== endOfTurn) {
          assert.equal(tokenIds[rebuilt], endOfTurn);
          rebuilt += 1;
        }
        const said = answer.filter((id) => id !== endOfTurn);
        assert.equal(context.tokenizer.decode(said).trim(), command.trim());
        if (k === turns.length - 1) continue;
        const between = [...context.tokenizer.encode(observation), nextTurn];
        assert.deepEqual(tokenIds.slice(rebuilt, rebuilt + between.length), between);
        rebuilt += between.length;
      }
      assert.equal(rebuilt, tokenIds.length, 'something stands after the last answer');
      assert.equal(turns.at(-1)?.command === 'done', endedBy === 'done');
      assert.ok(turns.slice(0, -1).every(({ command }) => command !== 'done'));
      assert.ok(turns.length <= config.tasks.turns && tokenIds.length <= config.tasks.context);
    }
  });
});

test('greedy episodes do not use their seed', async () => {
  await withPolicy(async (context, play) => {
    const requests = await requestsOf(context, 8);
    const greedy = (await play(requests, 0)).map(shown);
    const reseeded = requests.map((request) => ({ ...request, seed: request.seed + 1 }));
    assert.deepEqual((await play(reseeded, 0)).map(shown), greedy);
    assert.notDeepEqual((await play(reseeded)).map(shown), (await play(requests)).map(shown));
  });
});
