"""The words of codes and pseudonyms: short, friendly, easy to spell and to say aloud."""

from __future__ import annotations

_ADJECTIVES = """
able active agile alert amber ample apt arctic awake azure balmy bold brave breezy brief
bright brisk bronze busy calm candid careful cheerful civil classic clean clear clever
coastal cool copper coral cosmic cosy crisp curious daily daring dazzling deft direct
distant dotted eager early earnest elegant emerald endless equal exact expert fair famous
fancy fearless festive fine first fleet floral fluent flying fond formal frank free fresh
friendly gentle gifted glad global golden good graceful grand great green handy happy hardy
honest hopeful humble ideal indigo inner ivory jolly joyful just keen kind lasting leafy
light likely lilac lively local logical loyal lucid lucky lunar magic main major mellow
merry mighty mild mindful misty modern modest musical navy neat new nimble noble noted novel
olive open orange patient peaceful placid plucky polar polite prompt proud pure quick quiet
rapid rare ready regal robust rosy royal ruby rustic safe sandy scarlet serene sharp silent
silver sincere snowy social solar solid spry stable starry steady still sturdy subtle sunny
super sure tall tidy trusty upbeat useful valiant vast violet vital vivid warm wise witty
worthy young zesty
"""
_ANIMALS = """
alpaca antelope auk avocet badger barbet bee beetle bilby bison bittern bluebird bobcat
bongo budgie bunting buzzard camel canary caracal cardinal caribou carp cat cheetah
chickadee chinchilla chipmunk cicada civet clam cod condor coot cormorant corgi crab crane
cricket curlew deer dingo dolphin dormouse dove dragonfly duck duiker dunlin eagle egret
eland elk ermine falcon fawn ferret finch firefly flamingo fox frog gannet gazelle gecko
genet gerbil giraffe gnu goldfinch goose grebe grouse guppy hamster hare harrier hawk
hedgehog heron hoopoe horse husky ibex ibis iguana impala jackdaw jaguar jay kestrel
kingfisher kite kiwi koala koi kudu ladybird lapwing lark lemur leopard limpet linnet lion
llama lobster lynx macaw magpie mallard manatee marlin marmot marten martin meerkat merlin
mink minnow mole mongoose moose moth mussel narwhal newt nightingale numbat ocelot octopus
okapi opossum oriole oryx osprey otter owl oyster panda panther parrot partridge pelican
penguin perch petrel pheasant pigeon pika pike plover pony puffin puma quail quokka quoll
rabbit raccoon raven ray reindeer robin salmon sanderling sardine seahorse seal serval
shrimp siskin sparrow squirrel starfish starling stilt stoat stork swan swift tamarin tapir
teal tern thrush tiger toucan trout tuna turtle vicuna vole wagtail walrus warbler whale
whimbrel wolf wombat woodpecker wren yak zebra
"""

ADJECTIVES = tuple(_ADJECTIVES.split())
ANIMALS = tuple(_ANIMALS.split())
