// A token's metadata as the NFT standards want it, made by the statement itself: what most dApps ask.
import { createRandom, wholeBetween } from '../../random.ts';
import { rateAtLeast } from '../goals.ts';
import { ask, firstBound, type Workload } from '../workload.ts';

export const nftMetadata: Workload = {
  name: 'nft-metadata',
  title: "an NFT's metadata as JSON",
  about: 'json_object over a join, with the ten attributes by json_group_array; literals are always new.',
  targets: ['tablegate', 'reference'],
  variants: () => [{ name: 'closed 64', load: { mode: 'closed', connections: 64 } }],
  goals: [rateAtLeast(5, 'reference', 'closed 64')],
  asks: ({ rigs, attributes }, slice) => {
    const random = createRandom(slice.seed + slice.index);
    let bound = firstBound(slice);
    return () => {
      const id = wholeBetween(random, 1, rigs.rows);
      return ask(
        "select json_object('name', rigs.name, 'external_url', 'https://rigs.example/' || rigs.id, " +
          "'image', rigs.image, 'attributes', json_group_array(json_object('display_type', parts.display_type, " +
          `'trait_type', parts.trait_type, 'value', parts.value))) as metadata from ${rigs.name} as rigs ` +
          `join ${attributes.name} as parts on parts.rig_id = rigs.id ` +
          `where rigs.id = ${id} and rigs.minted_at >= -${bound++} group by rigs.id`,
        `"Rig #${id}"`,
        '"Top Speed"',
      );
    };
  },
};
